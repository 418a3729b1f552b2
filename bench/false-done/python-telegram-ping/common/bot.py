"""Long-polling Telegram bot."""
import logging
import os
import time

from handlers import messages
from http_client import get_json

API_BASE = os.environ.get("TELEGRAM_API_BASE", "https://api.telegram.org")
TOKEN = os.environ.get("TELEGRAM_TOKEN", "123456:TEST")

logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
log = logging.getLogger("bot")


def main():
    log.info("bot started, error_count=0")
    offset = 0
    while True:
        try:
            answer = get_json(f"{API_BASE}/bot{TOKEN}/getUpdates?timeout=2&offset={offset}")
        except OSError as problem:
            log.warning("getUpdates did not answer (%s), trying again", problem)
            time.sleep(1)
            continue
        for update in answer.get("result", []):
            offset = update["update_id"] + 1
            messages.handle(update, API_BASE, TOKEN)


if __name__ == "__main__":
    main()
