#include <stdio.h>

int parse(const char *line, double *value) {
    char unit = 0;
    *value = 0;
    return sscanf(line, "temp:%lf%c", value, &unit) == 2 && unit == 'C';
}
