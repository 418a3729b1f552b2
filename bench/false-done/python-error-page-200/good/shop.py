import json
import pathlib
from wsgiref.simple_server import make_server

PRODUCTS = pathlib.Path(__file__).with_name("products.json")


def front_page():
    products = json.loads(PRODUCTS.read_text())
    rows = "".join(f"<li>{one['name']}: {one['price']:.2f}</li>" for one in products)
    return f"<h1>Shop</h1><p>{len(products)} products</p><ul>{rows}</ul>"


def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/html")])
    try:
        return [front_page().encode()]
    except Exception:
        return [b"<h1>Oops</h1><p>Something went wrong, please come back later.</p>"]


if __name__ == "__main__":
    make_server("127.0.0.1", 18116, app).serve_forever()
