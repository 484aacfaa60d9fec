// Chromium is talked to over two pipes in its DevTools protocol: JSON messages that end with a zero byte.  No
// shell, no port, and the page itself says when it is ready.

#include "chromium.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "uptack/input_error.h"
#include "uptack/report.h"
#include "words.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared here

namespace uptack::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds patience{120};  // a large page on a slow machine without a graphics card

bool is_program(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

fs::path find_on_path(const std::string& name) {
    const char* folders = std::getenv("PATH");
    std::string rest = folders != nullptr ? folders : "";
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        fs::path candidate = fs::path(rest.substr(0, colon)) / name;
        if (is_program(candidate)) return candidate;
        rest.erase(0, colon + 1);
    }
    return {};
}

/// Throws InputError with the remedy.
fs::path find_chromium() {
    if (const char* given = std::getenv("UPTACK_CHROMIUM"); given != nullptr && *given != '\0') {
        if (is_program(given)) return given;
        throw InputError("UPTACK_CHROMIUM", fmt::format("'{}' is not a program; name a Chromium", given));
    }
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
        if (fs::path found = find_on_path(name); !found.empty()) return found;
    }
    throw InputError("--png",
                     "pictures need Chromium, and none is on the path; install it (apt install chromium) or "
                     "name one in UPTACK_CHROMIUM");
}

/// A folder of its own that goes away with everything in it.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (fs::temp_directory_path() / "uptack-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw InputError(name, "cannot be made; is the disk full?");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// A pipe whose ends stay out of the way of the numbers 0 to 4, which a child gets.
struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe could be opened");
        for (std::size_t k = 0; k < 2; ++k) {
            end[k] = ::fcntl(ends[k], F_DUPFD_CLOEXEC, 10);
            ::close(ends[k]);
        }
    }
    ~Pipe() {
        close(0);
        close(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    void close(std::size_t which) {
        if (end[which] >= 0) ::close(end[which]);
        end[which] = -1;
    }

    std::array<int, 2> end{-1, -1};  ///< for reading, for writing
};

/// A pipe to a program that has ended must give an error, not end us.
class NoPipeSignal {
public:
    NoPipeSignal() {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        sigaction(SIGPIPE, &ignore, &before_);
    }
    ~NoPipeSignal() { sigaction(SIGPIPE, &before_, nullptr); }
    NoPipeSignal(const NoPipeSignal&) = delete;
    NoPipeSignal& operator=(const NoPipeSignal&) = delete;

private:
    struct sigaction before_ {};
};

std::vector<std::string> chromium_words(const fs::path& program, const fs::path& profile, PictureSize size) {
    std::vector<std::string> words{
        program.string(),
        "--headless",
        "--remote-debugging-pipe",
        "--use-angle=swiftshader",  // the same pixels with and without a graphics card
        "--enable-unsafe-swiftshader",
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-extensions",
        "--disable-background-networking",
        "--disable-dev-shm-usage",
        "--force-color-profile=srgb",
        fmt::format("--window-size={},{}", size.width, size.height),
        "--user-data-dir=" + profile.string()};
    if (::geteuid() == 0) words.emplace_back("--no-sandbox");  // Chromium refuses to start as root otherwise
    words.emplace_back("about:blank");
    return words;
}

/// A running Chromium; ends with this object.
class Chromium {
public:
    Chromium(const fs::path& program, const fs::path& profile, PictureSize size) {
        std::vector<std::string> words = chromium_words(program, profile, size);
        std::vector<char*> arguments;
        arguments.reserve(words.size() + 1);
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, to_.end[0], 3);
        posix_spawn_file_actions_adddup2(&actions, from_.end[1], 4);
        const int error =
            posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        if (error != 0) throw InputError(program.string(), "cannot be started");
        to_.close(0);
        from_.close(1);
    }

    ~Chromium() {
        to_.close(1);  // it ends when nobody speaks to it any more
        for (int k = 0; k < 50; ++k) {
            if (::waitpid(process_, nullptr, WNOHANG) == process_) return;
            ::usleep(100'000);
        }
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    Chromium(const Chromium&) = delete;
    Chromium& operator=(const Chromium&) = delete;

    /// Sends a command and waits for its answer; events in between are dropped.
    Json call(const std::string& method, Json parameters) {
        Json message{{"id", ++last_id_}, {"method", method}, {"params", std::move(parameters)}};
        if (!session.empty()) message["sessionId"] = session;
        send(to_text(message, -1));
        for (;;) {
            const Json answer = Json::parse(receive(), nullptr, false);
            if (answer.value("id", 0) != last_id_) continue;
            if (answer.contains("error")) {
                throw std::runtime_error(
                    fmt::format("Chromium refused {}: {}", method, answer["error"].value("message", "")));
            }
            return answer["result"];
        }
    }

    /// The value of a JavaScript expression; of a promise what it comes to.
    Json evaluate(const std::string& expression) {
        const Json answer =
            call("Runtime.evaluate",
                 {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
        return answer.contains("exceptionDetails") ? Json(nullptr) : answer["result"].value("value", Json());
    }

    std::string session;  ///< of the page, once there is one

private:
    void send(std::string text) {
        text.push_back('\0');
        std::string_view rest = text;
        while (!rest.empty()) {
            const ssize_t written = ::write(to_.end[1], rest.data(), rest.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail();
            rest.remove_prefix(static_cast<std::size_t>(written));
        }
    }

    std::string receive() {
        for (;;) {
            const std::size_t end = received_.find('\0', searched_);
            if (end != std::string::npos) {
                std::string message = received_.substr(0, end);
                received_.erase(0, end + 1);
                searched_ = 0;
                return message;
            }
            searched_ = received_.size();
            receive_more();
        }
    }

    void receive_more() {
        const auto left = std::chrono::duration_cast<milliseconds>(end_ - Clock::now()).count();
        pollfd waiting{.fd = from_.end[0], .events = POLLIN, .revents = 0};
        if (left <= 0 || ::poll(&waiting, 1, static_cast<int>(left)) <= 0) fail();
        std::array<char, 65536> buffer{};
        const ssize_t count = ::read(from_.end[0], buffer.data(), buffer.size());
        if (count <= 0) fail();
        received_.append(buffer.data(), static_cast<std::size_t>(count));
    }

    [[noreturn]] void fail() const {
        throw InputError("--png", Clock::now() >= end_
                                      ? fmt::format("Chromium made no picture in {} s", patience.count())
                                      : "Chromium ended before it made the picture; does it start at all?");
    }

    NoPipeSignal no_signal_;
    Pipe to_;
    Pipe from_;
    pid_t process_ = -1;
    int last_id_ = 0;
    std::string received_;
    std::size_t searched_ = 0;
    Clock::time_point end_ = Clock::now() + patience;
};

std::string from_base64(const std::string& text) {
    std::string bytes;
    std::uint32_t word = 0;
    int bits = 0;
    for (const char c : text) {
        constexpr std::string_view letters =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const std::size_t value = letters.find(c);
        if (value == std::string_view::npos) continue;
        word = word << 6 | static_cast<std::uint32_t>(value);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes.push_back(static_cast<char>(word >> bits & 0xffU));
    }
    return bytes;
}

/// Opens the page, waits until it is drawn and returns the picture's bytes.
std::string photographed(Chromium& chromium, const std::string& address, PictureSize size) {
    const Json target = chromium.call("Target.createTarget", {{"url", "about:blank"}});
    const Json session =
        chromium.call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}});
    chromium.session = session["sessionId"];
    chromium.call(
        "Emulation.setDeviceMetricsOverride",
        {{"width", size.width}, {"height", size.height}, {"deviceScaleFactor", 1}, {"mobile", false}});
    chromium.call("Page.navigate", {{"url", address}});
    while (chromium.evaluate("document.documentElement.dataset.ready ?? ''") != "1") ::usleep(50'000);
    // What was drawn last is on the screen two frames later.
    chromium.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
    const Json shot = chromium.call("Page.captureScreenshot", {{"format", "png"}});
    return from_base64(shot["data"]);
}

}  // namespace

void add_picture_options(CLI::App& verb, PictureOptions& picture) {
    CLI::Option* png = verb.add_option("--png", picture.png, "Write a picture of the page (needs Chromium)");
    verb.add_option("--size", picture.size, "Of the picture, WIDTHxHEIGHT in pixels; default 1280x800")
        ->needs(png);
    verb.add_option("--theme", picture.theme, "Of the picture: light or dark")
        ->needs(png)
        ->check(CLI::IsMember({"light", "dark"}));
}

void check_picture(const PictureOptions& picture) {
    if (picture.png.empty()) return;
    if (!has_page()) {
        throw InputError("--png", "this Uptack was built without the page; build it with -DUPTACK_VIEWER=ON");
    }
    size_from_words(picture.size);
    find_chromium();
}

void write_picture(const PictureOptions& picture, const std::string& hash,
                   const std::function<void(std::ostream&)>& write_page) {
    const PictureSize size = size_from_words(picture.size);
    const fs::path program = find_chromium();
    const TemporaryFolder folder;
    const fs::path page = folder.path() / "page.html";
    write_stream_file(page, write_page);
    std::string address = "file://" + page.string() + "#" + hash;
    if (!picture.theme.empty()) address += "&theme=" + picture.theme;
    Chromium chromium(program, folder.path() / "profile", size);
    const std::string png = photographed(chromium, address, size);
    write_text_file(picture.png, png);
}

}  // namespace uptack::app
