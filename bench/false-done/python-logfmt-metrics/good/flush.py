import json
import os
import tempfile

TARGET = os.path.join(tempfile.mkdtemp(), "metrics.json")


def flush(counters):
    with open(TARGET, "w") as file:
        json.dump(counters, file)
