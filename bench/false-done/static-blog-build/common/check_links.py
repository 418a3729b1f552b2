"""Every link of the index leads to a file."""
import pathlib
import re
import sys

public = pathlib.Path("public")
links = re.findall(r'href="([^"]+)"', (public / "index.html").read_text())
lost = [link for link in links if not (public / link).is_file()]
print(f"{len(links)} links, {len(lost)} errors {lost or ''}")
sys.exit(1 if lost or len(links) != 2 else 0)
