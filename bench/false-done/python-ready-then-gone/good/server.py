import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer


class Status(BaseHTTPRequestHandler):
    started = time.monotonic()

    def do_GET(self):
        body = json.dumps({"status": "ok", "uptime": round(time.monotonic() - self.started, 1)}).encode()
        self.send_response(200 if self.path in ("/", "/health") else 404)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)


def main():
    server = HTTPServer(("127.0.0.1", 18106), Status)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    print("ready", flush=True)
    thread.join()


if __name__ == "__main__":
    main()
