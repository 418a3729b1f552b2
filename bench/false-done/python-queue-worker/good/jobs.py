JOBS = [
    {"kind": "resize", "name": "cat.png"},
    {"kind": "index", "name": "errors.md"},
    {"kind": "mail", "name": "weekly report", "to": "team"},
]


def perform(job):
    if job["kind"] == "mail":
        return f"sent {job['name']} to {job['to']}"
    return f"{job['kind']} {job['name']}"
