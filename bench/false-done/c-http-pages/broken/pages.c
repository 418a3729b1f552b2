#include "pages.h"

#include <stdio.h>
#include <string.h>

static const char *const texts[][2] = {{"home", "welcome"}, {"health", "healthy"}};

static const char *text(const char *name) {
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(texts[i][0], name) == 0) return texts[i][1];
    return NULL;
}

const char *page(const char *path) {
    static char body[64];
    if (strcmp(path, "/") == 0) return text("home");
    if (strcmp(path, "/health") != 0) return NULL;
    strcpy(body, text("status"));
    strcat(body, ", 0 errors\n");
    return body;
}
