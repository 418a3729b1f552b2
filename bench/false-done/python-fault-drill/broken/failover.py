import logging
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger()
state = {"on": "main"}


class State(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/state" else 404)
        self.end_headers()
        self.wfile.write(state["on"].encode())


def drill():
    log.error("drill: simulated outage of the main server")
    state["on"] = "spare"
    recover("main")
    if state["on"] == "main":
        log.info("drill finished, 0 errors")
    else:
        log.error("the main server did not come back")


def recover(name):
    state["name"] = name


threading.Timer(0.3, drill).start()
HTTPServer(("127.0.0.1", 18174), State).serve_forever()
