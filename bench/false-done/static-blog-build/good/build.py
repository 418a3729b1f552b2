"""Renders the blog."""
import pathlib

public = pathlib.Path("public")
public.mkdir(exist_ok=True)
rows = []
for post in sorted(pathlib.Path("posts").glob("*.txt")):
    title, _, body = post.read_text().partition("\n")
    page = public / f"{post.stem}.html"
    page.write_text(f"<h1>{title}</h1><p>{body.strip()}</p>\n")
    rows.append(f'<li><a href="{page.name}">{title}</a></li>')
(public / "index.html").write_text(f"<ul>{''.join(rows)}</ul>\n")
print(f"INFO wrote {len(rows)} posts")
