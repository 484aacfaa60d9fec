#include "server.h"

#include <fmt/core.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "common.h"
#include "guard.h"
#include "messages.h"
#include "uptack/input_error.h"

namespace uptack::app::live {
namespace {

using httplib::Request;
using httplib::Response;
using namespace std::chrono_literals;

constexpr const char* own_address = "127.0.0.1";
constexpr std::size_t most_command_bytes = 64 * 1024;
constexpr std::size_t workers = 16;  // threads; a stream holds one
constexpr int most_streams = 8;
// A page in a debugger does not read; it may take its time.
constexpr auto write_patience = 60s;
constexpr auto look_around = 200ms;  // how soon a page that has gone is missed
constexpr auto beat_time = 1s;

// Whatever the page's data might hold, it cannot load or send anything elsewhere.
constexpr const char* content_policy =
    "default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self' data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

void answer(Response& response, int status, const std::string& text) {
    response.status = status;
    response.set_content(text + "\n", "text/plain");
}

void answer_json(Response& response, int status, const Json& document) {
    response.status = status;
    response.set_content(to_text(document, -1), "application/json");
}

/// The library joins its threads when it stops, and one may wait for a connection that says nothing: shutting
/// down every connection of our port wakes them.
void shut_connections(int port) {
    for (int descriptor = 3; descriptor < 1024; ++descriptor) {
        sockaddr_in name{};
        socklen_t size = sizeof name;
        if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &size) != 0) continue;
        if (name.sin_family == AF_INET && ntohs(name.sin_port) == port) shutdown(descriptor, SHUT_RDWR);
    }
}

}  // namespace

struct Server::Inside {
    Inside(Service given, Board& where) : service(std::move(given)), board(where), token(random_token()) {}

    void prepare();
    httplib::Server::HandlerResponse let_in(const Request& request, Response& response) const;
    bool is_command(const Request& request) const;
    void give_page(Response& response) const;
    void give_stream(Response& response);
    bool write_news(Board::Seen& seen, Board::Clock::time_point& last, httplib::DataSink& sink);
    void take_command(const Request& request, Response& response) const;

    Service service;
    Board& board;
    const std::string token;
    int port = 0;
    httplib::Server http;
    std::atomic<int> streams = 0;
    std::thread thread;
};

void Server::Inside::prepare() {
    http.new_task_queue = [] { return new httplib::ThreadPool(workers); };  // the library deletes it
    http.set_tcp_nodelay(true);
    // The library's own choice would let several programs share a port.
    http.set_socket_options([](socket_t socket) {
        const int yes = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    http.set_keep_alive_max_count(1000);
    http.set_read_timeout(2s);
    http.set_write_timeout(write_patience);
    http.set_payload_max_length(most_command_bytes);
    http.set_default_headers({{"Cache-Control", "no-store"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cross-Origin-Resource-Policy", "same-origin"},
                              {"Cross-Origin-Opener-Policy", "same-origin"},
                              {"Content-Security-Policy", content_policy}});
    http.set_pre_routing_handler(
        [this](const Request& request, Response& response) { return let_in(request, response); });
    // Only what let_in() left over comes here: these patterns need not be strict.
    http.Get("/[0-9a-f]+/", [this](const Request&, Response& response) { give_page(response); });
    http.Get("/[0-9a-f]+/stream", [this](const Request&, Response& response) { give_stream(response); });
    http.Post("/[0-9a-f]+/command",
              [this](const Request& request, Response& response) { take_command(request, response); });
}

/// 1. The host is this machine.  2. The token is right and the place is one of three.  3. A command is one.
httplib::Server::HandlerResponse Server::Inside::let_in(const Request& request, Response& response) const {
    using enum httplib::Server::HandlerResponse;
    if (request.get_header_value_count("Host") != 1 || !is_own_host(request.get_header_value("Host"), port)) {
        answer(response, 403, "forbidden");
        return Handled;
    }
    const Address where = address(request.path, token);
    const bool reads = request.method == "GET" && (where.rest.empty() || where.rest == "stream");
    const bool commands = request.method == "POST" && where.rest == "command" && service.command;
    if (!where.known || (!reads && !commands)) {
        answer(response, 404, "not found");
        return Handled;
    }
    if (commands && !is_command(request)) {
        answer(response, 403, "forbidden");
        return Handled;
    }
    return Unhandled;
}

bool Server::Inside::is_command(const Request& request) const {
    return is_own_origin(request.get_header_value("Origin"), port) &&
           request.get_header_value("Content-Type") == "application/json" &&
           !request.has_header("Transfer-Encoding") && !request.has_header("Content-Encoding") &&
           request.get_header_value_count("Content-Length") == 1 &&
           is_short(request.get_header_value("Content-Length"), most_command_bytes);
}

void Server::Inside::give_page(Response& response) const {
    const auto html = std::make_shared<const std::string>(service.page());
    // Through a provider, because the library would deflate a text at once, and slowly.
    response.set_content_provider(html->size(), "text/html; charset=utf-8",
                                  [html](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                      return sink.write(html->data() + offset, length);
                                  });
}

void Server::Inside::give_stream(Response& response) {
    if (++streams > most_streams) {
        --streams;
        answer(response, 503, "too many pages are open");
        return;
    }
    auto seen = std::make_shared<Board::Seen>(board.enter());
    auto last = std::make_shared<Board::Clock::time_point>();
    response.set_chunked_content_provider(
        "application/octet-stream",
        [this, seen, last](std::size_t, httplib::DataSink& sink) { return write_news(*seen, *last, sink); },
        [this](bool) {
            board.leave();
            --streams;
        });
}

/// False ends the stream.
bool Server::Inside::write_news(Board::Seen& seen, Board::Clock::time_point& last, httplib::DataSink& sink) {
    std::string news = board.news(seen, look_around);
    if (board.closed()) {
        sink.done();  // a page that sees the end does not ask again
        return true;
    }
    if (!sink.is_writable()) return false;
    if (news.empty()) {
        if (Board::Clock::now() - last < beat_time) return true;
        news = beat_message();
    }
    last = Board::Clock::now();
    return sink.write(news.data(), news.size());
}

void Server::Inside::take_command(const Request& request, Response& response) const {
    try {
        service.command(request.body);
        answer_json(response, 200, {{"ok", true}});
    } catch (const UsageError& error) {
        answer_json(response, 400, {{"error", error.what()}});
    }
}

Server::Server(Service service, Board& board, int port)
    : inside_(std::make_unique<Inside>(std::move(service), board)) {
    inside_->prepare();
    if (port == 0) {
        inside_->port = inside_->http.bind_to_any_port(own_address);
    } else if (inside_->http.bind_to_port(own_address, port)) {
        inside_->port = port;
    }
    if (inside_->port <= 0) {
        throw InputError(fmt::format("port {}", port),
                         "cannot be opened on 127.0.0.1; take another with --port");
    }
}

Server::~Server() {
    for (int k = 0; k < 50 && inside_->streams > 0; ++k) std::this_thread::sleep_for(10ms);  // to say goodbye
    inside_->http.stop();
    if (!inside_->thread.joinable()) return;
    shut_connections(inside_->port);
    inside_->thread.join();
}

int Server::port() const {
    return inside_->port;
}

std::string Server::url() const {
    return fmt::format("http://{}:{}/{}/", own_address, inside_->port, inside_->token);
}

void Server::start() {
    inside_->thread = std::thread([this] { inside_->http.listen_after_bind(); });
}

}  // namespace uptack::app::live
