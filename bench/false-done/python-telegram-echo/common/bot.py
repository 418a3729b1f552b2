import json
import os
import sys
import time
import urllib.request

from replies import reply_to

BASE = os.environ["TELEGRAM_API_BASE"] + "/bot" + os.environ["TELEGRAM_TOKEN"]


def call(method, **body):
    request = urllib.request.Request(f"{BASE}/{method}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=15) as response:
        return json.load(response)["result"]


def main():
    print("INFO: polling", file=sys.stderr, flush=True)
    offset = 0
    while True:
        try:
            updates = call("getUpdates", offset=offset, timeout=2)
        except OSError as problem:
            print(f"WARNING: {problem}, retrying", file=sys.stderr, flush=True)
            time.sleep(0.5)
            continue
        for update in updates:
            offset = update["update_id"] + 1
            answer = reply_to(update)
            if answer:
                call("sendMessage", chat_id=update["message"]["chat"]["id"], text=answer)


if __name__ == "__main__":
    main()
