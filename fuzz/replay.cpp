// The fuzz targets without libFuzzer: replay FOLDER MUTATIONS [INPUT]
//
// Runs every file of the folder, then so many mutations of them, the same ones each time, through
// LLVMFuzzerTestOneInput.  Silent on success.  An input that ends the program, or takes more than a minute,
// is left in the working folder as finding-PID.  With INPUT (a file) only that is run.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/fuzz.h"

namespace {

namespace fs = std::filesystem;
using Input = std::vector<std::uint8_t>;

constexpr unsigned patience_s = 60;
constexpr std::size_t largest_input = 1U << 20U;

Input current;            // what is being run, for the signal handler
char finding_name[64]{};  // likewise, made beforehand

// Only what POSIX allows in a handler.
extern "C" void keep_input(int signal) {
    const int file = ::open(finding_name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0 && ::write(file, current.data(), current.size()) >= 0) {
        static constexpr char said[] = "the input that did this is in ";
        [[maybe_unused]] ssize_t ignored = ::write(STDERR_FILENO, said, sizeof said - 1);
        ignored = ::write(STDERR_FILENO, finding_name, std::strlen(finding_name));
        ignored = ::write(STDERR_FILENO, "\n", 1);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void watch_signals() {
    std::snprintf(finding_name, sizeof finding_name, "finding-%d", static_cast<int>(::getpid()));
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) {
        std::signal(signal, keep_input);
    }
}

void run(Input input) {
    current = std::move(input);
    ::alarm(patience_s);
    // A copy of exactly its size, so that reading beyond it is reading beyond an allocation.
    const Input copy(current.begin(), current.end());
    LLVMFuzzerTestOneInput(copy.data(), copy.size());
    ::alarm(0);
}

Input read_file(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<Input> read_folder(const fs::path& folder) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<Input> inputs;
    for (const fs::path& path : paths) inputs.push_back(read_file(path));
    return inputs;
}

/// splitmix64: the same numbers everywhere.
class Random {
public:
    std::size_t below(std::size_t count) { return count == 0 ? 0 : next() % count; }
    std::uint8_t byte() { return static_cast<std::uint8_t>(next()); }

private:
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    std::uint64_t state_ = 1;
};

/// One small change: a bit, a byte, a number at its limits, a stretch left out, said twice or taken from
/// another.
void mutate(Input& input, const Input& other, Random& random) {
    const std::size_t place = random.below(input.size());
    const std::size_t length = std::min(1 + random.below(16), input.size() - place);
    const auto at = input.begin() + static_cast<std::ptrdiff_t>(place);
    const auto end = at + static_cast<std::ptrdiff_t>(length);
    switch (input.empty() ? 5 : random.below(6)) {
        case 0:
            *at ^= static_cast<std::uint8_t>(1U << random.below(8));
            return;
        case 1:
            *at = random.byte();
            return;
        case 2:
            std::fill(at, end, random.below(2) == 0 ? std::uint8_t{0} : std::uint8_t{255});
            return;
        case 3:
            input.erase(at, end);
            return;
        case 4: {
            const Input stretch(at, end);
            input.insert(at, stretch.begin(), stretch.end());
            return;
        }
        default: {
            const std::size_t from = random.below(other.size());
            const std::size_t count = std::min(1 + random.below(64), other.size() - from);
            const auto first = other.begin() + static_cast<std::ptrdiff_t>(from);
            input.insert(at, first, first + static_cast<std::ptrdiff_t>(count));
        }
    }
}

void run_mutations(const std::vector<Input>& inputs, long count) {
    Random random;
    for (long k = 0; k < count; ++k) {
        Input input = inputs[random.below(inputs.size())];
        for (std::size_t changes = 1 + random.below(4); changes > 0; --changes) {
            mutate(input, inputs[random.below(inputs.size())], random);
        }
        if (input.size() <= largest_input) run(std::move(input));
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3 || argc > 4) {
        std::fputs("usage: replay FOLDER MUTATIONS [INPUT]\n", stderr);
        return 2;
    }
    watch_signals();
    if (argc == 4) {
        run(read_file(argv[3]));
        return 0;
    }
    const std::vector<Input> inputs = read_folder(argv[1]);
    if (inputs.empty()) {
        std::fprintf(stderr, "%s: no inputs\n", argv[1]);
        return 2;
    }
    for (const Input& input : inputs) run(input);
    run_mutations(inputs, std::strtol(argv[2], nullptr, 10));
    return 0;
}
