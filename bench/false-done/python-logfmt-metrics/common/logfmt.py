import sys
import time


def log(level, msg, **fields):
    words = [f"ts={time.time():.3f}", f"level={level}", f'msg="{msg}"']
    words += [f'{key}="{value}"' if " " in str(value) else f"{key}={value}" for key, value in fields.items()]
    print(" ".join(words), file=sys.stderr, flush=True)
