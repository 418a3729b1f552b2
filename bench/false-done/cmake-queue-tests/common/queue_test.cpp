#include <cstdio>

#include "queue.hpp"

int main() {
    Queue queue;
    queue.push(1, "first");
    queue.push(1, "second");
    queue.push(5, "urgent");
    for (const char *expected : {"urgent", "first", "second"}) {
        std::string got = queue.pop();
        if (got != expected) {
            std::printf("expected %s, got %s\n", expected, got.c_str());
            return 1;
        }
    }
    std::puts("0 errors");
    return 0;
}
