#include <string>

long long size_of(const std::string &text) {
    return std::stoi(text.substr(text.find(' ') + 1));
}
