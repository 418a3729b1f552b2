"""Turns titles into slugs."""
import re
import unicodedata


def slugify(title):
    text = title.encode("ascii", "ignore").decode()
    text = unicodedata.normalize("NFKD", text)
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
