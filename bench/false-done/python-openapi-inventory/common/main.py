import json
from http.server import BaseHTTPRequestHandler, HTTPServer

from routes import find


class Inventory(BaseHTTPRequestHandler):
    def do_GET(self):
        status, value = find(self.path)
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 18107), Inventory).serve_forever()
