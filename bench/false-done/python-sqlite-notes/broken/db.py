import sqlite3

DATABASE = sqlite3.connect(":memory:", check_same_thread=False)


def prepare():
    DATABASE.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL, created_at TEXT NOT NULL)")
    DATABASE.execute("INSERT INTO notes (body, created_at) VALUES ('buy milk', '2030-01-01')")
    DATABASE.commit()


def all_notes():
    rows = DATABASE.execute("SELECT id, body FROM notes ORDER BY created DESC")
    return [{"id": number, "body": body} for number, body in rows]
