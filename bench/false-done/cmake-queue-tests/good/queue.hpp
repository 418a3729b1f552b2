#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

// The highest priority first; among equals the oldest.
class Queue {
public:
    void push(int priority, std::string text) {
        auto place = std::upper_bound(entries_.begin(), entries_.end(), priority,
                                      [](int value, const auto &entry) { return value > entry.first; });
        entries_.insert(place, {priority, std::move(text)});
    }

    std::string pop() {
        std::string text = std::move(entries_.front().second);
        entries_.erase(entries_.begin());
        return text;
    }

private:
    std::vector<std::pair<int, std::string>> entries_;
};
