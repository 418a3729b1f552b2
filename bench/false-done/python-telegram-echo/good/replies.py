"""What the bot says."""


def reply_to(update):
    text = update.get("message", {}).get("text", "")
    if not text:
        return None
    if text.startswith("/start"):
        return "Hello! Send me ping."
    return "pong" if text == "ping" else text
