from datetime import datetime


def upcoming():
    return [
        {"title": "Stand-up", "at": datetime(2030, 1, 7, 9, 30)},
        {"title": "Review", "at": datetime(2030, 1, 9, 15, 0)},
    ]
