import threading


class Stats:
    def __init__(self):
        self.lock = threading.RLock()
        self.hits = {}

    def count(self, path):
        with self.lock:
            self.hits[path] = self.hits.get(path, 0) + 1

    def total(self):
        with self.lock:
            return sum(self.hits.values())

    def report(self):
        with self.lock:
            return {"total": self.total(), "paths": dict(self.hits), "errors": 0}
