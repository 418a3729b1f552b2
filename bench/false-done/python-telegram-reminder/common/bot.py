import json
import logging
import os
import time
import urllib.request

from reminders import confirm

os.makedirs("logs", exist_ok=True)
logging.basicConfig(filename="logs/bot.log", level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("reminder")
API = os.environ.get("TELEGRAM_API_BASE", "https://api.telegram.org")
TOKEN = os.environ.get("TELEGRAM_TOKEN", "123456:TEST")


def call(method, body):
    request = urllib.request.Request(f"{API}/bot{TOKEN}/{method}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)["result"]


def main():
    print("reminder bot is running, see logs/bot.log", flush=True)
    offset = 0
    while True:
        try:
            updates = call("getUpdates", {"offset": offset, "timeout": 2})
        except OSError as problem:
            log.warning("no updates: %s", problem)
            time.sleep(1)
            continue
        for update in updates:
            offset = update["update_id"] + 1
            message = update.get("message") or {}
            try:
                call("sendMessage", {"chat_id": message["chat"]["id"], "text": confirm(message["text"])})
                log.info("reminder stored, 0 errors so far")
            except Exception:
                log.exception("could not store the reminder")


if __name__ == "__main__":
    main()
