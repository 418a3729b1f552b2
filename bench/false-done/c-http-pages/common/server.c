#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pages.h"

static int listen_on(int port) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 16) != 0) return -1;
    return fd;
}

static void serve(int client) {
    char request[2048], path[256] = "/", answer[1024];
    ssize_t got = read(client, request, sizeof request - 1);
    if (got <= 0) return;
    request[got] = '\0';
    sscanf(request, "GET %255s", path);
    const char *body = page(path);
    int length = snprintf(answer, sizeof answer, "HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
                          body ? "200 OK" : "404 Not Found", body ? strlen(body) : 0, body ? body : "");
    if (write(client, answer, length) != length) printf("WARN short write\n");
    printf("INFO %s %s\n", path, body ? "200" : "404");
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPIPE, SIG_IGN);
    int fd = listen_on(18137);
    if (fd < 0) { perror("listen"); return 1; }
    printf("INFO listening on 127.0.0.1:18137\n");
    for (;;) {
        int client = accept(fd, NULL, NULL);
        if (client < 0) continue;
        serve(client);
        close(client);
    }
}
