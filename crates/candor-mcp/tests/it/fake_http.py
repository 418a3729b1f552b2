"""A server that speaks MCP over HTTP, and misbehaves as it is told. It prints its port when it listens.

It is strict like its brother: what a client does wrong is noted and answered with 400."""
import base64, hashlib, json, os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlparse

MODE = sys.argv[1]
HERE = os.environ["FAKE_DIR"]
IS_NEW = MODE.startswith("new")
WANTS_LOGIN = "login" in MODE
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
TOOLS = [{"name": "echo", "inputSchema": SCHEMA}]
CAPABILITIES = {"tools": {}}
WHO = {"name": "fake", "version": "1"}
state = {"challenges": {}, "tokens": set(), "refresh": set(), "count": 0}


def note(*words):
    with open(os.path.join(HERE, "log"), "a") as log:
        log.write(" ".join(str(word) for word in words) + "\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def reply(self, status, body=None, headers=()):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Type", "application/json")
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def origin(self):
        return "http://127.0.0.1:%d" % self.server.server_port

    def do_GET(self):
        url = urlparse(self.path)
        query = {key: value[0] for key, value in parse_qs(url.query).items()}
        if url.path.startswith("/.well-known/oauth-protected-resource"):
            if not WANTS_LOGIN:
                return self.reply(404, {})
            return self.reply(200, {"resource": self.origin() + "/mcp", "authorization_servers": [self.origin()]})
        if url.path.startswith("/.well-known/oauth-authorization-server"):
            if not WANTS_LOGIN:
                return self.reply(404, {})
            return self.reply(200, {
                "issuer": self.origin(), "authorization_endpoint": self.origin() + "/authorize",
                "token_endpoint": self.origin() + "/token", "registration_endpoint": self.origin() + "/register",
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "token_endpoint_auth_methods_supported": ["none"]})
        if url.path == "/authorize":
            note("authorize", query.get("client_id"), query.get("code_challenge_method"))
            back = query["redirect_uri"]
            if MODE == "old_login_refused":
                answer = {"error": "access_denied", "state": query["state"]}
            else:
                state["challenges"]["c0de"] = query["code_challenge"]
                answer = {"code": "c0de", "state": query["state"], "iss": self.origin()}
            return self.reply(302, None, [("Location", back + "?" + urlencode(answer))])
        # There is no stream beside the answers.
        self.reply(405, {})

    def do_DELETE(self):
        note("delete")
        self.reply(200, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/register":
            note("register")
            asked = json.loads(body)
            return self.reply(201, {"client_id": "cl1ent", "redirect_uris": asked["redirect_uris"],
                                    "token_endpoint_auth_method": "none"})
        if self.path == "/token":
            return self.token({key: value[0] for key, value in parse_qs(body).items()})
        if MODE == "old_elsewhere":
            return self.reply(307, None, [("Location", os.environ["ELSEWHERE"] + self.path)])
        if MODE == "old_moved" and self.path == "/mcp":
            return self.reply(307, None, [("Location", "/mcp/")])
        note("header", self.headers.get("X-Key"))
        if WANTS_LOGIN:
            given = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            if given not in state["tokens"]:
                where = 'Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp"' % self.origin()
                return self.reply(401, {}, [("WWW-Authenticate", where)])
        self.rpc(json.loads(body))

    def token(self, form):
        note("token", form["grant_type"])
        if form["grant_type"] == "authorization_code":
            made = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
            if made != state["challenges"].get(form["code"]):
                return self.reply(400, {"error": "invalid_grant"})
        elif form["refresh_token"] not in state["refresh"]:
            return self.reply(400, {"error": "invalid_grant"})
        state["count"] += 1
        token, refresh = "tok3n%d" % state["count"], "refr3sh%d" % state["count"]
        # The first one is worthless as soon as it is given: whoever uses it has to renew it.
        state["tokens"] = {token} if state["count"] > 1 or MODE != "old_login_renewed" else set()
        state["refresh"] = {refresh}
        self.reply(200, {"access_token": token, "token_type": "bearer", "expires_in": 3600, "refresh_token": refresh})

    def flood(self, id):
        """An answer without end, and how much of it was taken."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if "events" in MODE else "application/json")
        self.end_headers()
        self.close_connection = True
        count = 0
        try:
            self.wfile.write(b"data: " if "events" in MODE else b'{"jsonrpc": "2.0", "id": %d, "result": "' % id)
            while count < 1 << 32:
                self.wfile.write(b"x" * (1 << 20))
                count += 1 << 20
        except OSError:
            pass
        note("flooded", count >> 20)

    def rpc(self, message):
        method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
        note("got", method)
        if id is None:
            return self.reply(202)
        if IS_NEW:
            meta = params.get("_meta") or {}
            if "io.modelcontextprotocol/protocolVersion" not in meta or self.headers.get("Mcp-Session-Id"):
                note("wrong", method)
                return self.reply(400, {})
        elif method not in ("initialize", "server/discover") and self.headers.get("Mcp-Session-Id") != "s1":
            note("wrong", method)
            return self.reply(400, {})
        headers, result = [], None
        if method == "server/discover" and IS_NEW:
            result = {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES, "serverInfo": WHO,
                      "ttlMs": 0, "cacheScope": "private"}
        elif method == "initialize" and not IS_NEW:
            result = {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "serverInfo": WHO}
            headers = [("Mcp-Session-Id", "s1")]
        elif method == "tools/list":
            result = {"tools": TOOLS}
            if IS_NEW:
                result.update(ttlMs=0, cacheScope="private")
        elif method == "tools/call" and params["arguments"].get("text") == "flood":
            return self.flood(id)
        elif method == "tools/call":
            result = {"content": [{"type": "text", "text": params["arguments"]["text"]}]}
        if result is None:
            return self.reply(400 if not IS_NEW else 404, {"jsonrpc": "2.0", "id": id, "error": {
                "code": -32601, "message": "Method not found"}})
        if IS_NEW:
            result["resultType"] = "complete"
        self.reply(200, {"jsonrpc": "2.0", "id": id, "result": result}, headers)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
