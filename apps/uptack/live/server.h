// The live view's HTTP server: one page, one stream, one place for commands, on 127.0.0.1 only.
//
//     GET  /TOKEN/          the page
//     GET  /TOKEN/stream    messages (messages.h) until either side ends
//     POST /TOKEN/command   a command (commands.h)
//
// guard.h says who is let in.  docs/decisions/018-live-view.md says why it is made so.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "board.h"

namespace uptack::app::live {

/// What is served.
struct Service {
    std::function<std::string()> page;                     ///< HTML
    std::function<void(const std::string& json)> command;  ///< throws UsageError; none: there are no commands
};

class Server {
public:
    /// Takes the port, 0 for any that is free; nobody is answered yet.  Throws InputError.
    Server(Service service, Board& board, int port);
    /// Ends every connection at once.  The board must be closed before.
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    int port() const;
    std::string url() const;
    void start();

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace uptack::app::live
