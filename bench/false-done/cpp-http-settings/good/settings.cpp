#include <map>
#include <string>
#include <variant>

using Setting = std::variant<int, std::string>;

std::string settings_page() {
    static const std::map<std::string, Setting> settings = {
        {"name", std::string("demo")},
        {"retries", 3},
        {"timeout", 30},
    };
    int total = std::get<int>(settings.at("retries")) * std::get<int>(settings.at("timeout"));
    return "name " + std::get<std::string>(settings.at("name")) + "\nlongest wait " + std::to_string(total) + " s\n";
}
