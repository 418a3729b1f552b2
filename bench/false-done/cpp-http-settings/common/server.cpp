#include <arpa/inet.h>
#include <csignal>
#include <iostream>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

std::string settings_page();

static std::string respond(const std::string &path) {
    std::string status = "200 OK", body = "ok\n";
    try {
        if (path == "/") body = settings_page();
        else if (path != "/health") status = "404 Not Found", body = "not found\n";
    } catch (const std::exception &problem) {
        std::cerr << "[error] " << path << ": " << problem.what() << std::endl;
        status = "500 Internal Server Error", body = "internal error\n";
    }
    std::cerr << "[info] GET " << path << " " << status << std::endl;
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

int main() {
    std::signal(SIGPIPE, SIG_IGN);
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(18142);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0 || listen(fd, 16) != 0) {
        std::cerr << "cannot listen" << std::endl;
        return 1;
    }
    std::cerr << "[info] listening on 127.0.0.1:18142, log level error or above goes to mail" << std::endl;
    for (;;) {
        int client = accept(fd, nullptr, nullptr);
        if (client < 0) continue;
        char buffer[2048];
        ssize_t got = read(client, buffer, sizeof buffer);
        std::istringstream words(std::string(buffer, got > 0 ? got : 0));
        std::string method, path;
        if (words >> method >> path) {
            std::string answer = respond(path);
            if (write(client, answer.data(), answer.size()) < 0) std::cerr << "[warn] client left" << std::endl;
        }
        close(client);
    }
}
