#include <string>

long long size_of(const std::string &text) {
    return std::stoll(text.substr(text.find(' ') + 1));
}
