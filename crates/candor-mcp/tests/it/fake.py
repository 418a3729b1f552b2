"""A server that speaks MCP over its standard input and output, and misbehaves as it is told.

It is strict: whatever a client does that the protocol forbids ends it with exit code 9 and a line about the reason."""
import json, os, sys

MODE = sys.argv[1] if len(sys.argv) > 1 else "old"
HERE = os.environ["FAKE_DIR"]
LOG = open(os.path.join(HERE, "log"), "a")


def note(*words):
    LOG.write(" ".join(str(word) for word in words) + "\n")
    LOG.flush()


def wrong(reason):
    sys.stderr.write("the client is wrong: %s\n" % reason)
    note("wrong", reason)
    os._exit(9)


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(id, result):
    if IS_NEW:
        result.setdefault("resultType", "complete")
    send({"jsonrpc": "2.0", "id": id, "result": result})


def refuse(id, code, message, data=None):
    error = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    send({"jsonrpc": "2.0", "id": id, "error": error})


def text(id, words):
    answer(id, {"content": [{"type": "text", "text": words}]})


SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}, "loud": {"type": "boolean"}}, "required": ["text"]}
NONE = {"type": "object"}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TOOLS = [
    {"name": "echo", "description": "Says it again.", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}},
] + [
    {"name": name, "inputSchema": NONE}
    for name in "sum image link embedded fail die hang garbage big later swap change refuse unasked env long ask dotted.name".split()
]
LYING = [
    {"name": "no_schema"},
    {"name": "text_schema", "inputSchema": "a text"},
    {"name": "list_schema", "inputSchema": {"type": "array"}},
    {"name": "odd_properties", "inputSchema": {"type": "object", "properties": []}},
    {"name": "no_kind", "inputSchema": {"type": "object", "properties": {"a": {"type": "banana"}}}},
    {"name": "far_away", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "file:///etc/hostname"}}}},
    {"name": "", "inputSchema": NONE},
    {"description": "without a name", "inputSchema": NONE},
    {"name": "no_schema", "inputSchema": NONE},
]
IS_NEW = MODE.startswith("new")
waiting = []
CAPABILITIES = {"tools": {"listChanged": True}, "resources": {}, "prompts": {}}
WHO = {"name": "fake", "version": "1"}


def call(id, name, args):
    global TOOLS
    note("call", name, list(args))
    if name == "echo":
        text(id, args["text"])
    elif name == "sum":
        answer(id, {"content": [{"type": "text", "text": "three"}], "structuredContent": {"sum": 3}})
    elif name == "image":
        answer(id, {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"},
                                {"type": "image", "data": "PHN2Zz4=", "mimeType": "image/svg+xml"}]})
    elif name == "link":
        answer(id, {"content": [{"type": "resource_link", "uri": "fake://1", "name": "one"}]})
    elif name == "embedded":
        answer(id, {"content": [{"type": "resource", "resource": {"uri": "fake://1", "text": "inside"}}]})
    elif name == "fail":
        answer(id, {"content": [{"type": "text", "text": "the disk is full"}], "isError": True})
    elif name == "die":
        sys.stderr.write("a bolt of lightning\n")
        sys.stderr.flush()
        os._exit(3)
    elif name == "hang":
        pass
    elif name == "garbage":
        for number in range(1000):
            sys.stdout.write("Listening on port %d\n" % number)
        sys.stdout.write("\n{\"half\": \n[1,2]\nnull\n")
        text(id, "after the garbage")
    elif name == "unasked":
        answer(4711, {"content": []})
        refuse("nobody", -1, "asked for this")
        text(id, "after the answers")
    elif name == "big":
        text(id, "a" * 150000 + "MIDDLE" + "z" * 150000)
    elif name == "long":
        sys.stdout.write("[" + "1," * (9 << 20))
        sys.stdout.flush()
    elif name == "later":
        # Answered when the next one has been.
        waiting.append(id)
    elif name == "swap":
        text(id, "second")
        for late in waiting:
            text(late, "first")
    elif name == "change":
        TOOLS = [TOOLS[0], {"name": "brand_new", "inputSchema": NONE}]
        if not IS_NEW:
            send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        text(id, "changed")
    elif name == "ask":
        waiting.append(id)
        send({"jsonrpc": "2.0", "id": "question", "method": "elicitation/create", "params": {
            "message": "Who are you?", "requestedSchema": {"type": "object", "properties": {
                "name": {"type": "string"}, "age": {"type": "integer", "default": 7}}}}})
    elif name == "refuse":
        refuse(id, -32602, "no such thing")
    elif name == "env":
        text(id, json.dumps(dict(os.environ)))
    else:
        text(id, name)


def listed(id, key, items, params):
    """In pages of ten."""
    start = int(params.get("cursor", "0"))
    page = {key: items[start:start + 10]}
    if start + 10 < len(items):
        page["nextCursor"] = str(start + 10)
    if IS_NEW:
        page.update(ttlMs=0, cacheScope="private")
    answer(id, page)


def main():
    note("start", os.getpid())
    if MODE == "dead":
        sys.stderr.write("no such database\n")
        os._exit(7)
    if MODE == "mute":
        sys.stdin.read()
        os._exit(0)
    if MODE == "deaf":
        # It does not read its input, and so never finds its end.
        import time
        note("deaf")
        while True:
            time.sleep(3600)
    is_begun = is_ready = False
    for line in sys.stdin:
        try:
            message = json.loads(line)
        except ValueError:
            wrong("that is no JSON")
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            wrong("no JSON-RPC 2.0")
        method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
        if method is None:
            if id == "question":
                note("answered", json.dumps(message["result"], sort_keys=True))
                text(waiting.pop(), "thanks")
            continue
        note("got", method)
        meta = params.get("_meta") or {}
        if IS_NEW and id is not None:
            for key in ("protocolVersion", "clientCapabilities", "clientInfo"):
                if "io.modelcontextprotocol/" + key not in meta:
                    wrong("%s without %s" % (method, key))
        if method == "server/discover":
            if not IS_NEW:
                if MODE == "old_exits":
                    os._exit(1)
                refuse(id, -32601, "Method not found")
                continue
            answer(id, {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES, "serverInfo": WHO,
                        "ttlMs": 0, "cacheScope": "private"})
        elif method == "initialize":
            if IS_NEW:
                refuse(id, -32601, "Method not found")
                continue
            if is_begun:
                wrong("initialize twice")
            is_begun = True
            if MODE == "old_odd":
                answer(99, {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": WHO})
            answer(id, {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "serverInfo": WHO,
                        "instructions": "Be kind."})
        elif method == "notifications/initialized":
            is_ready = True
        elif method == "notifications/cancelled":
            note("cancelled", params.get("requestId"))
        elif not IS_NEW and not is_ready:
            wrong("%s before initialized" % method)
        elif method == "tools/list":
            listed(id, "tools", TOOLS + (LYING if MODE == "old_lying" else []), params)
        elif method == "tools/call":
            call(id, params["name"], params.get("arguments") or {})
        elif method == "prompts/list":
            listed(id, "prompts", [{"name": "greet", "arguments": [{"name": "who", "required": True}]}], params)
        elif method == "prompts/get":
            answer(id, {"messages": [{"role": "user", "content": {
                "type": "text", "text": "Greet %s." % params["arguments"]["who"]}}]})
        elif method == "resources/list":
            listed(id, "resources", [{"uri": "fake://1", "name": "one"}], params)
        elif method == "resources/templates/list":
            listed(id, "resourceTemplates", [{"uriTemplate": "fake://{n}", "name": "any"}], params)
        elif method == "resources/read":
            answer(id, {"contents": [{"uri": params["uri"], "text": "what is in it"}],
                        **({"ttlMs": 0, "cacheScope": "private"} if IS_NEW else {})})
        elif method == "subscriptions/listen":
            send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                  "params": {"notifications": params["notifications"],
                             "_meta": {"io.modelcontextprotocol/subscriptionId": id}}})
        elif id is not None:
            refuse(id, -32601, "Method not found")
    note("end")


main()
