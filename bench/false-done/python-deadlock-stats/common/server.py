import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from stats import Stats

STATS = Stats()


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        STATS.count(self.path)
        if self.path == "/stats":
            self.answer(200, STATS.report())
        elif self.path == "/health":
            self.answer(200, {"status": "ok"})
        else:
            self.answer(404, {"message": "not found"})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", 18172), Pages).serve_forever()
