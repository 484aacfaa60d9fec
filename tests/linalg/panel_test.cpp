// The dense loops under the factorisations, number by number: each is the sum that it is said to be, on every
// instruction set (ctest runs this with UPTACK_SIMD=portable and avx2 too).

#include "kernels/panel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random.h"

namespace uptack::test {
namespace {

template <class Real>
class Panels : public testing::Test {
protected:
    std::vector<Real> numbers(std::size_t count) {
        std::vector<Real> out(count);
        for (Real& value : out) value = static_cast<Real>(random_.normal());
        return out;
    }

private:
    Random random_{4};
};

using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(Panels, Reals);

constexpr int padding = 8;  // rows of a panel that are not part of the product

TYPED_TEST(Panels, ProductsAreFusedSumsInTheOrderOfTheColumns) {
    using Real = TypeParam;
    for (const int rows : {8, 16, 24, 40, 64, 88}) {
        for (const int columns : {1, 5, 6, 23, 25, 48}) {
            for (const int depth : {0, 1, 7, 30}) {
                const int stride = rows + padding;
                const std::vector<Real> a = this->numbers(static_cast<std::size_t>(stride) * depth + 1);
                const std::vector<Real> b = this->numbers(static_cast<std::size_t>(columns) * depth + 1);
                const std::vector<Real> before = this->numbers(static_cast<std::size_t>(stride) * columns);
                std::vector<Real> scratch(panel_scratch(columns, depth) + 1);
                std::vector<Real> product = before;
                std::vector<Real> difference = before;
                const ProductSize size{rows, columns, depth};
                panel_kernels<Real>().multiply(size, {a.data(), stride}, {b.data(), columns},
                                               {product.data(), stride}, scratch.data());
                panel_kernels<Real>().subtract_product(size, {a.data(), stride}, {b.data(), columns},
                                                       {difference.data(), stride}, scratch.data());
                for (int j = 0; j < columns; ++j) {
                    for (int i = 0; i < stride; ++i) {
                        const int at = j * stride + i;
                        Real sum = 0;
                        for (int k = 0; k < depth; ++k)
                            sum = std::fma(a[k * stride + i], b[k * columns + j], sum);
                        ASSERT_EQ(product[at], i < rows ? sum : before[at])
                            << rows << ' ' << columns << ' ' << depth;
                        ASSERT_EQ(difference[at], i < rows ? before[at] - sum : before[at]);
                    }
                }
            }
        }
    }
}

TYPED_TEST(Panels, DivisionUndoesTheProductWithTheTriangle) {
    using Real = TypeParam;
    constexpr int rows = 24;
    for (int columns = 1; columns <= 6; ++columns) {
        std::vector<Real> lower = this->numbers(static_cast<std::size_t>(columns) * columns);
        for (int j = 0; j < columns; ++j) lower[j * columns + j] = Real(2) + std::abs(lower[j * columns + j]);
        const std::vector<Real> x = this->numbers(static_cast<std::size_t>(rows) * columns);
        std::vector<Real> y(x.size());
        for (int j = 0; j < columns; ++j) {
            for (int i = 0; i < rows; ++i) {
                for (int k = 0; k <= j; ++k) y[j * rows + i] += x[k * rows + i] * lower[k * columns + j];
            }
        }
        panel_kernels<Real>().divide(rows, columns, {lower.data(), columns}, {y.data(), rows});
        const Real digits = std::is_same_v<Real, float> ? Real(1e-5) : Real(1e-13);
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], x[i], digits);
    }
}

TYPED_TEST(Panels, ApplicationsAreFusedSumsSideBySide) {
    using Real = TypeParam;
    constexpr int lanes = 32 / sizeof(Real);
    for (const int rows : {0, 3, 8, 29, 64}) {
        for (const int columns : {1, 6, 14}) {
            const int stride = rows + padding;
            const std::vector<Real> a = this->numbers(static_cast<std::size_t>(stride) * columns);
            const std::vector<Real> x = this->numbers(columns);
            const std::vector<Real> y = this->numbers(rows + 1);
            std::vector<Real> below = y;
            std::vector<Real> beside = x;
            panel_kernels<Real>().subtract_apply(rows, columns, {a.data(), stride}, x.data(), below.data());
            panel_kernels<Real>().subtract_apply_transposed(rows, columns, {a.data(), stride}, y.data(),
                                                            beside.data());
            for (int i = 0; i < rows; ++i) {
                Real value = y[i];
                for (int j = 0; j < columns; ++j) value = std::fma(a[j * stride + i], -x[j], value);
                ASSERT_EQ(below[i], value);
            }
            ASSERT_EQ(below[rows], y[rows]);
            for (int j = 0; j < columns; ++j) {
                Real s[8] = {};
                for (int i = 0; i < rows; ++i) {
                    Real& sum = s[i < rows / lanes * lanes ? i % lanes : 0];
                    sum = std::fma(a[j * stride + i], y[i], sum);
                }
                Real sum = (s[0] + s[1]) + (s[2] + s[3]);
                if (lanes == 8) sum += (s[4] + s[5]) + (s[6] + s[7]);
                ASSERT_EQ(beside[j], x[j] - sum);
            }
        }
    }
}

}  // namespace
}  // namespace uptack::test
