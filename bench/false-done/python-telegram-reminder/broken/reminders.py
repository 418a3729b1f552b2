from datetime import datetime, timedelta, timezone


def confirm(text):
    now = datetime.now(timezone.utc)
    due = datetime.utcnow() + timedelta(hours=1)
    minutes = int((due - now).total_seconds() // 60)
    return f"I will remind you of {text!r} in {minutes} minutes"
