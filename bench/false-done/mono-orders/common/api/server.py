import socketserver
from http.server import BaseHTTPRequestHandler


class Orders(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/orders" else 404)
        self.end_headers()
        with open("../orders.json", "rb") as file:
            self.wfile.write(file.read())


socketserver.TCPServer.allow_reuse_address = True
socketserver.TCPServer(("127.0.0.1", 18164), Orders).serve_forever()
