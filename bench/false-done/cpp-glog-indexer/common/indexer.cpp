#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <thread>
#include <unistd.h>

long long size_of(const std::string &text);

static void note(char level, int line, const std::string &text) {
    std::time_t now = std::time(nullptr);
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "%m%d %H:%M:%S", std::localtime(&now));
    std::fprintf(stderr, "%c%s.%06d %5d indexer.cpp:%d] %s\n", level, stamp, 0, static_cast<int>(getpid()), line, text.c_str());
}

int main() {
    const std::string documents[] = {"a.txt 120", "errors.txt 77", "big.bin 3000000000"};
    note('I', 22, "indexer started, 0 errors");
    note('W', 23, "no stop words given");
    for (unsigned number = 0;; number++) {
        const std::string &document = documents[number % 3];
        try {
            note('I', 27, "indexed " + std::to_string(size_of(document)) + " bytes");
        } catch (const std::exception &problem) {
            note('E', 29, "cannot index " + document + ": " + problem.what());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
    }
}
