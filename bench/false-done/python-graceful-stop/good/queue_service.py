import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

waiting = ["a", "b", "c"]


def drain():
    while waiting:
        print(f"INFO drained {waiting.pop()}", file=sys.stderr, flush=True)


class Queue(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{len(waiting)} waiting".encode())


def main():
    server = HTTPServer(("127.0.0.1", 18175), Queue)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        drain()
        print("INFO stopped by SIGINT, 0 errors", file=sys.stderr, flush=True)
        sys.exit(130)


if __name__ == "__main__":
    main()
