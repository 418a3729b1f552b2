ITEMS = {1: "bolt", 2: "nut", 3: "washer"}

ROUTES = {
    "/items": lambda: [{"id": key, "name": name} for key, name in ITEMS.items()],
    "/items/totals": lambda: {"count": len(ITEMS)},
}


def find(path):
    if path in ROUTES:
        return 200, ROUTES[path]()
    head, _, last = path.rpartition("/")
    if head == "/items" and last.isdigit() and int(last) in ITEMS:
        return 200, {"id": int(last), "name": ITEMS[int(last)]}
    return 404, {"message": "not found"}
