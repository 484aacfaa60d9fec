#include "siconos_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>

#include "printable.h"
#include "read_limits.h"
#include "uptack/input_error.h"

namespace uptack {
namespace {

// Longer than any number that is meant as one; keeps a file without spaces from becoming one huge word.
constexpr std::size_t max_word = 64;

/// Words between white space, with the line they stand on.  "# ..." is left out up to the end of its line.
class Words {
public:
    explicit Words(const std::filesystem::path& path)
        : path_(path.string()), stream_(path, std::ios::binary) {
        if (!stream_) throw InputError(path_, "cannot be opened for reading");
        std::error_code ignored;
        size_ = static_cast<std::int64_t>(std::filesystem::file_size(path, ignored));
    }

    /// The next word, empty at the end of the file.
    std::string next() {
        int c = skip_to_word();
        word_line_ = line_;
        std::string word;
        while (c != end_of_file && !is_space(c)) {
            if (word.size() == max_word) throw error("a word of more than 64 characters is no number");
            word += static_cast<char>(c);
            c = take();
        }
        return word;
    }

    template <class Number>
    Number number(const std::string& expected) {
        const std::string word = next();
        if (word.empty()) throw error(fmt::format("the file ends where {} was expected", expected));
        const std::optional<Number> value = parse<Number>(word);
        if (!value) throw error(fmt::format("'{}' where {} was expected", printable(word), expected));
        return *value;
    }

    int count(const std::string& expected) {
        const int value = number<int>(expected);
        if (value < 0) throw error(fmt::format("{} is {}; it must be >= 0", expected, value));
        return value;
    }

    /// Numbers up to the end of the file or the first word that is none.
    std::int64_t count_trailing_numbers() {
        std::int64_t count = 0;
        for (int c = skip_to_word(); c != end_of_file; c = skip_to_word()) {
            std::string word;
            for (; c != end_of_file && !is_space(c) && word.size() < max_word; c = take()) {
                word += static_cast<char>(c);
            }
            if (!parse<double>(word)) break;
            ++count;
        }
        return count;
    }

    InputError error(const std::string& message) const {
        return InputError(fmt::format("{}, line {}", path_, word_line_), message);
    }
    std::int64_t file_bytes() const { return size_; }
    const std::string& path() const { return path_; }

private:
    static constexpr int end_of_file = std::char_traits<char>::eof();

    static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    int take() {
        const int c = stream_.rdbuf()->sbumpc();
        if (c == '\n') ++line_;
        return c;
    }

    int skip_to_word() {
        int c = take();
        while (is_space(c) || c == '#') {
            if (c == '#') {
                while (c != '\n' && c != end_of_file) c = take();
            } else {
                c = take();
            }
        }
        return c;
    }

    template <class Number>
    static std::optional<Number> parse(const std::string& word) {
        const char* first = word.data();
        const char* last = first + word.size();
        if (word.size() > 1 && word[0] == '+') ++first;
        Number value{};
        const auto [end, failure] = std::from_chars(first, last, value);
        if (failure != std::errc() || end != last) return std::nullopt;
        if constexpr (std::is_floating_point_v<Number>) {
            if (!std::isfinite(value)) return std::nullopt;
        }
        return value;
    }

    std::string path_;
    std::ifstream stream_;
    std::int64_t size_ = 0;
    std::int64_t line_ = 1;
    std::int64_t word_line_ = 1;  // of the word read last
};

// The rest of a file that claims n rows must be able to hold them: each number takes two characters at least.
void check_size(const Words& words, std::int64_t n, const ReadLimits& limits) {
    check_rows(words.path(), n, limits);
    check_entries(words.path(), n * n, limits);
    if (2 * n * n > words.file_bytes()) {
        throw words.error(
            fmt::format("a {} x {} matrix is announced, which {} bytes cannot hold; the file may be "
                        "cut short, or of another kind",
                        n, n, words.file_bytes()));
    }
}

void expect(Words& words, int wanted, const std::string& what) {
    const int found = words.number<int>(what);
    if (found != wanted) throw words.error(fmt::format("{} is {}, expected {}", what, found, wanted));
}

// Storage, rows and columns (twice in the dense form), then the values.
SparseMatrix read_dense(Words& words, int storage, int n) {
    if (storage != 0) {
        throw words.error(fmt::format("matrix storage {} is not read; only 0, dense, is", storage));
    }
    for (const char* what : {"the matrix's row count", "the matrix's column count",
                             "the matrix's row count, again", "the matrix's column count, again"}) {
        expect(words, n, what);
    }
    SparseMatrix matrix;
    matrix.start.push_back(0);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double value = words.number<double>("a matrix value");
            if (value == 0.0) continue;
            matrix.column.push_back(j);
            matrix.value.push_back(value);
        }
        matrix.start.push_back(std::ssize(matrix.value));
    }
    return matrix;
}

std::vector<double> read_vector(Words& words, int n) {
    std::vector<double> q;
    q.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) q.push_back(words.number<double>("a value of q"));
    return q;
}

Problem to_problem(SparseMatrix matrix, std::vector<double> q, const std::vector<Law>& laws) {
    Problem problem;
    for (std::size_t i = 0; i < laws.size(); ++i) {
        problem.blocks.push_back({.first_row = static_cast<int>(i), .rows = 1, .law = laws[i]});
    }
    problem.matrix = std::move(matrix);
    problem.bias = std::move(q);
    return problem;
}

Problem read_lcp(Words& words, const ReadLimits& limits) {
    const int n = words.count("the number of rows");
    const int storage = words.number<int>("the matrix storage");
    if (n == 0) throw words.error("a problem of 0 rows");
    check_size(words, n, limits);
    SparseMatrix matrix = read_dense(words, storage, n);
    std::vector<double> q = read_vector(words, n);
    // A relay problem begins like an LCP and goes on with its bounds: read as an LCP it would be another
    // problem.
    if (words.count_trailing_numbers() == 2 * std::int64_t{n}) {
        throw words.error(
            fmt::format("{} numbers follow q, as in a relay problem, which is not read; if this is "
                        "an LCP, put # before what follows q",
                        2 * n));
    }
    return to_problem(std::move(matrix), std::move(q),
                      std::vector<Law>(static_cast<std::size_t>(n), Unilateral{}));
}

// Starts 0 .. rows of blocks, then for each block 0 (equality) or 1 (complementarity).
std::vector<Law> read_block_laws(Words& words, int rows) {
    std::vector<int> starts;
    do {
        const int start = words.count("the start of a block");
        if (starts.empty() ? start != 0 : (start <= starts.back() || start > rows)) {
            throw words.error(fmt::format("block start {} does not rise from 0 to {}", start, rows));
        }
        starts.push_back(start);
    } while (starts.back() < rows);

    std::vector<Law> laws;
    for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
        const int kind = words.count("the kind of a block");
        if (kind > 1) throw words.error(fmt::format("block kind {} is neither 0 (equality) nor 1", kind));
        const Law law = kind == 0 ? Law{Bilateral{}} : Law{Unilateral{}};
        laws.insert(laws.end(), static_cast<std::size_t>(starts[k + 1] - starts[k]), law);
    }
    return laws;
}

Problem read_mlcp(Words& words, const ReadLimits& limits) {
    const int first_form = words.count("the first storage flag");
    words.count("the second storage flag");
    const int equalities = words.count("the number of equality rows");
    const int complementary = words.count("the number of complementarity rows");
    const std::int64_t claimed = std::int64_t{equalities} + complementary;
    if (claimed == 0) throw words.error("a problem of 0 rows");
    check_size(words, claimed, limits);
    if (first_form != 1) {
        throw words.error("an MLCP that only has the form A, B, C, D is not read; write it as one matrix");
    }
    const auto n = static_cast<int>(claimed);
    const std::vector<Law> laws = read_block_laws(words, n);
    std::int64_t found = 0;
    for (const Law& law : laws) found += std::holds_alternative<Bilateral>(law) ? 1 : 0;
    if (found != equalities) {
        throw words.error(
            fmt::format("the blocks have {} equality rows, but {} were announced", found, equalities));
    }
    const int storage = words.number<int>("the matrix storage");
    SparseMatrix matrix = read_dense(words, storage, n);
    return to_problem(std::move(matrix), read_vector(words, n), laws);
}

// An LCP of one row begins "1 0 1 1 1", an MLCP "0|1 0|1 n m 0": the fifth number tells.
bool looks_like_mlcp(const std::filesystem::path& path) {
    Words words(path);
    const int first = words.number<int>("a whole number");
    if (first != 0 && first != 1) return false;
    std::string fifth;
    for (int k = 0; k < 4; ++k) fifth = words.next();
    return first == 0 || fifth == "0";
}

}  // namespace

Problem read_siconos_text(const std::filesystem::path& path, const ReadLimits& limits) {
    const bool mixed = looks_like_mlcp(path);
    Words words(path);
    Problem problem = mixed ? read_mlcp(words, limits) : read_lcp(words, limits);
    problem.name = printable(path.stem().string());
    return problem;
}

}  // namespace uptack
