#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static void echo(int client) {
    char buffer[512];
    ssize_t count;
    while ((count = read(client, buffer, sizeof buffer)) > 0)
        if (write(client, buffer, count) < 0) return;
}

int main(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(18138)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    signal(SIGPIPE, SIG_IGN);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 8) != 0) {
        perror("echo");
        return 1;
    }
    fprintf(stderr, "info: echo server up, 0 errors\n");
    for (;;) {
        int client = accept(fd, NULL, NULL);
        if (client < 0) continue;
        echo(client);
        close(client);
    }
}
