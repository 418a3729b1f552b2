#include <stdio.h>
#include <time.h>
#include <unistd.h>

int parse(const char *line, double *value);

static const char *const lines[] = {"temp=21.5C", "temp=21.7C", "temp=22.0C"};

static void note(FILE *log, const char *level, const char *text) {
    char stamp[32];
    time_t now = time(NULL);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(log, "%s %s sensor: %s\n", stamp, level, text);
    fflush(log);
}

int main(void) {
    FILE *log = fopen("logs/sensor.log", "a");
    if (log == NULL) { perror("logs/sensor.log"); return 1; }
    note(log, "INFO", "started, error_count=0");
    note(log, "WARN", "calibration is older than a year");
    for (unsigned i = 0;; i++) {
        double value;
        char text[64];
        int good = parse(lines[i % 3], &value);
        snprintf(text, sizeof text, good ? "reading %.1f" : "cannot parse reading", value);
        note(log, good ? "INFO" : "ERROR", text);
        usleep(300 * 1000);
    }
}
