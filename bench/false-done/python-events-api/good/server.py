import json
import os
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import store

PORT = int(os.environ.get("PORT", "18103"))


class Api(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            if self.path == "/":
                self.answer(200, {"service": "events"})
            elif self.path == "/health":
                self.answer(200, {"status": "ok", "errors": 0})
            elif self.path == "/api/events":
                self.answer(200, {"events": store.upcoming()})
            else:
                self.answer(404, {"message": "no such page"})
        except Exception:
            traceback.print_exc()
            self.answer(500, {"message": "internal server error"})

    def answer(self, status, value):
        body = json.dumps(value, default=str).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    print(f"events api on http://127.0.0.1:{PORT}", flush=True)
    ThreadingHTTPServer(("127.0.0.1", PORT), Api).serve_forever()
