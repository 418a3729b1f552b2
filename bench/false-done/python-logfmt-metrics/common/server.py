import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from flush import flush
from logfmt import log

COUNTERS = {"requests": 0, "errors": 0}


class Metrics(BaseHTTPRequestHandler):
    def do_GET(self):
        COUNTERS["requests"] += 1
        known = self.path == "/metrics"
        self.send_response(200 if known else 404)
        self.end_headers()
        self.wfile.write("".join(f"{key} {value}\n" for key, value in COUNTERS.items()).encode() if known else b"")

    def log_request(self, code="-", size="-"):
        log("info", "request", path=self.path, status=int(code))


def flushing():
    while True:
        time.sleep(0.5)
        try:
            flush(COUNTERS)
            log("info", "flushed", error_count=COUNTERS["errors"])
        except Exception as problem:
            log("error", "flush failed", err=repr(problem))


threading.Thread(target=flushing, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", 18115), Metrics).serve_forever()
