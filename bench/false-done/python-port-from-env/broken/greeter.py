import os
from http.server import BaseHTTPRequestHandler, HTTPServer

PORT = int(os.environ.get("SERVICE_PORT", "18109"))


class Greeter(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(b"Good day\n")


print("INFO greeter is ready", flush=True)
HTTPServer(("127.0.0.1", PORT), Greeter).serve_forever()
