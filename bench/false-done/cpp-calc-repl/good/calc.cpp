#include <functional>
#include <iostream>
#include <map>
#include <sstream>

int main() {
    const std::map<char, std::function<double(double, double)>> operators = {
        {'+', std::plus<>()},
        {'-', std::minus<>()},
        {'*', std::multiplies<>()},
        {'/', std::divides<>()},
    };
    std::cout << "calc ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words(line);
        double left = 0, right = 0;
        char op = 0;
        if (words >> left >> op >> right)
            std::cout << operators.at(op)(left, right) << std::endl;
        else
            std::cout << "usage: NUMBER OP NUMBER" << std::endl;
    }
}
