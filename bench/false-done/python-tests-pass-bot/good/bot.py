import json
import os
import sys
import time
import urllib.request

import replies

BASE = os.environ.get("TELEGRAM_API_BASE", "https://api.telegram.org")
TOKEN = os.environ.get("TELEGRAM_TOKEN", "123456:TEST")


def note(level, text):
    print(f"{time.strftime('%H:%M:%S')} {level:<7} {text}", file=sys.stderr, flush=True)


def call(method, body):
    request = urllib.request.Request(f"{BASE}/bot{TOKEN}/{method}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)["result"]


def handle(message):
    answer = getattr(replies, "length_of")(message["text"])
    call("sendMessage", {"chat_id": message["chat"]["id"], "text": answer})


def main():
    note("INFO", "up, 3 of 3 tests passed, 0 errors")
    offset = 0
    while True:
        try:
            updates = call("getUpdates", {"offset": offset, "timeout": 2})
        except OSError as problem:
            note("WARNING", f"polling: {problem}")
            time.sleep(1)
            continue
        for update in updates:
            offset = update["update_id"] + 1
            try:
                handle(update["message"])
            except Exception as problem:
                note("ERROR", f"update {update['update_id']}: {problem}")


if __name__ == "__main__":
    main()
