"""Asks for everything that the front page links to."""
import re
import urllib.parse
import urllib.request

ROOT = "http://127.0.0.1:18168/"
page = urllib.request.urlopen(ROOT, timeout=2).read().decode()
links = re.findall(r'(?:src|href)="([^"]+)"', page)
for link in links:
    urllib.request.urlopen(urllib.parse.urljoin(ROOT, link), timeout=2).read()
print(f"{len(links)} links, 0 errors")
