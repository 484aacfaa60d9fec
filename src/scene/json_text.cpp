#include "json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <system_error>

#include "uptack/input_error.h"

namespace uptack::scene {
namespace {

/// "3:14" of a byte.
std::string line_and_column(const std::string& text, std::size_t byte) {
    const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    const std::size_t newline = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    const std::size_t column = newline == std::string::npos ? end + 1 : end - newline;
    return fmt::format("{}:{}", line + 1, column);
}

/// The tail of nlohmann's message, which says what was expected; its head is for programmers.
std::string reason(const std::string& message) {
    for (const std::string_view mark : {"syntax error while parsing ", "out of range"}) {
        const std::size_t at = message.find(mark);
        if (at != std::string::npos) return message.substr(at);
    }
    const std::size_t at = message.find("] ");
    return at == std::string::npos ? message : message.substr(at + 2);
}

/// Receives the parser's events and puts the values together.
class DocumentMaker {
public:
    DocumentMaker(const std::string& text, const std::string& name) : text_(text), name_(name) {}

    Json take() { return std::move(root_); }

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(Json::number_integer_t value) { return add(value); }
    bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
    bool number_float(Json::number_float_t value, const std::string& /*text*/) { return add(value); }
    bool string(std::string& value) {
        check_text(value);
        return add(std::move(value));
    }
    bool binary(Json::binary_t& /*value*/) { return false; }
    bool start_object(std::size_t /*size*/) { return open(Json::object()); }
    bool start_array(std::size_t /*size*/) { return open(Json::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& value) {
        check_text(value);
        Level& level = levels_.back();
        if (!level.keys.insert(value).second) {
            throw InputError(name_,
                             fmt::format("{}: the key \"{}\" is there twice; remove one", pointer(), value));
        }
        level.key = std::move(value);
        return true;
    }
    bool parse_error(std::size_t byte, const std::string& /*token*/,
                     const nlohmann::detail::exception& error) {
        throw InputError(fmt::format("{}:{}", name_, line_and_column(text_, byte)),
                         fmt::format("not JSON: {}; check commas, quotes and brackets before this place",
                                     reason(error.what())));
    }

private:
    struct Level {
        Json* value;
        std::string key;
        std::set<std::string> keys;
    };

    Json* place(Json value) {
        if (++values_ > max_values) {
            throw LimitError(
                name_,
                fmt::format("more values than the limit of {}; use repeat, or simpler meshes", max_values));
        }
        if (levels_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Level& level = levels_.back();
        if (level.value->is_array()) {
            level.value->push_back(std::move(value));
            return &level.value->back();
        }
        // The key is new, so it goes to the end without a search.
        auto& members = level.value->get_ref<Json::object_t&>();
        members.push_back(Json::object_t::value_type(level.key, std::move(value)));
        return &members.back().second;
    }
    bool add(Json value) {
        place(std::move(value));
        return true;
    }
    bool open(Json value) {
        if (levels_.size() >= static_cast<std::size_t>(max_nesting)) {
            throw LimitError(name_, fmt::format("{}: nested deeper than the limit of {}; flatten it",
                                                pointer(), max_nesting));
        }
        Json* placed = place(std::move(value));
        levels_.push_back({placed, {}, {}});
        return true;
    }
    bool close() {
        levels_.pop_back();
        return true;
    }
    void check_text(const std::string& value) const {
        if (value.size() > max_text_bytes) {
            throw LimitError(name_, fmt::format("{}: a text of {} bytes; the limit is {}, shorten it",
                                                pointer(), value.size(), max_text_bytes));
        }
    }
    std::string pointer() const {
        std::string path;
        for (std::size_t k = 0; k + 1 < levels_.size(); ++k) {
            const Level& level = levels_[k];
            path += level.value->is_array() ? fmt::format("/{}", level.value->size() - 1) : "/" + level.key;
        }
        return path.empty() ? "/" : path;
    }

    const std::string& text_;
    const std::string& name_;
    Json root_;
    std::vector<Level> levels_;
    std::size_t values_ = 0;
};

}  // namespace

Json parse_json(const std::string& text, const std::string& name) {
    if (text.size() > max_document_bytes) {
        throw LimitError(name, fmt::format("has {} MB; the limit is {}, use repeat or simpler meshes",
                                           text.size() >> 20U, max_document_bytes >> 20U));
    }
    const std::size_t nul = text.find('\0');  // the parser would take it for the end
    if (nul != std::string::npos) {
        throw InputError(fmt::format("{}:{}", name, line_and_column(text, nul + 1)),
                         "not JSON: a NUL byte; remove it, or save the file as UTF-8");
    }
    DocumentMaker maker(text, name);
    Json::sax_parse(text, &maker, Json::input_format_t::json, true, true);
    return maker.take();
}

std::string read_whole(const std::filesystem::path& path, const std::string& name) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (std::filesystem::is_directory(status)) throw InputError(name, "is a folder; name a file");
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        throw InputError(name, "is not a regular file; save what it gives to a file");  // it may never end
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError(name, "cannot be opened; check the path and the permissions");
    std::string text;
    std::string piece(1U << 16U, '\0');
    while (file) {
        file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text.append(piece, 0, static_cast<std::size_t>(file.gcount()));
        if (text.size() > max_file_bytes) {
            throw LimitError(
                name,
                fmt::format(
                    "is larger than the limit of {} MB for one file; use repeat, includes or a simpler mesh",
                    max_file_bytes >> 20U));
        }
    }
    if (file.bad()) throw InputError(name, "could not be read to its end");
    return text;
}

}  // namespace uptack::scene
