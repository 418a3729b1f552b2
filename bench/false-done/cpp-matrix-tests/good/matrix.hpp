#pragma once
#include <utility>
#include <vector>

class Matrix {
public:
    Matrix(unsigned rows, unsigned columns, std::vector<double> values = {})
        : rows_(rows), columns_(columns), values_(std::move(values)) { values_.resize(rows * columns); }

    unsigned rows() const { return rows_; }
    double at(unsigned row, unsigned column) const { return values_[row * columns_ + column]; }

    Matrix operator*(const Matrix &other) const {
        Matrix product(rows_, other.columns_);
        for (unsigned i = 0; i < rows_; i++)
            for (unsigned j = 0; j < other.columns_; j++)
                for (unsigned k = 0; k < columns_; k++)
                    product.values_[i * other.columns_ + j] += at(i, k) * other.at(k, j);
        return product;
    }

private:
    unsigned rows_, columns_;
    std::vector<double> values_;
};
