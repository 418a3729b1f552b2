#include <iostream>

#include "matrix.hpp"

static int errors = 0;

static void check(const char *name, bool holds) {
    if (!holds) errors++;
    std::cout << (holds ? "ok   " : "FAIL ") << name << "\n";
}

int main() {
    Matrix square(2, 2, {1, 2, 3, 4});
    check("square", (square * square).at(1, 0) == 15);
    Matrix wide(2, 3, {1, 2, 3, 4, 5, 6}), tall(3, 2, {1, 0, 0, 1, 1, 1});
    check("2x3 times 3x2", (wide * tall).at(1, 1) == 11);
    check("size", (wide * tall).rows() == 2);
    std::cout << errors << " errors\n";
    return errors == 0 ? 0 : 1;
}
