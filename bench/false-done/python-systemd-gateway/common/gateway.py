import itertools
import sys
import time

from frames import decode

FRAMES = [bytes([1, 2, 3, 6]), bytes([9, 9, 0, 18]), bytes([0, 0, 0, 0, 0])]


def note(level, text):
    print(f"<{level}>gateway: {text}", file=sys.stderr, flush=True)


note(6, "started, frames with errors: 0")
note(4, "the clock is not synchronised")
for frame in itertools.cycle(FRAMES):
    try:
        note(6, f"frame of {len(decode(frame))} bytes")
    except ValueError as problem:
        note(3, f"frame dropped: {problem}")
    time.sleep(0.25)
