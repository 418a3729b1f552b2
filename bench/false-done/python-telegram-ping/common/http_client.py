"""The few HTTP calls the bot needs."""
import json
import urllib.request


def get_json(url):
    with urllib.request.urlopen(url, timeout=10) as response:
        return json.load(response)


def post_json(url, body):
    if not url.startswith(("http://", "https://")):
        raise ValueError("Request URL is missing an 'http://' or 'https://' protocol.")
    data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)
