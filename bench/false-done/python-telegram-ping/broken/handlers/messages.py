"""Answers to text messages."""
import logging

from http_client import post_json

log = logging.getLogger("handlers.messages")


def reply_to(text):
    return "pong" if text.strip().lower() == "ping" else f"you said: {text}"


def handle(update, api_base, token):
    message = update.get("message") or {}
    if "text" not in message:
        return
    user = message["from"]["id"]
    try:
        url = f"/bot{token}/sendMessage"
        post_json(url, {"chat_id": message["chat"]["id"], "text": reply_to(message["text"])})
        log.info("answered user %s", user)
    except Exception as error:
        log.error("Error for user %s: %s", user, error)
