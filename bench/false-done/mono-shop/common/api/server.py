import json
import pathlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PRICES = pathlib.Path(__file__).parent.parent / "prices.json"


class Prices(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/prices":
            status, value = 200, json.loads(PRICES.read_text())
        elif self.path == "/health":
            status, value = 200, {"status": "ok"}
        else:
            status, value = 404, {"message": "not found"}
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())


ThreadingHTTPServer(("127.0.0.1", 18162), Prices).serve_forever()
