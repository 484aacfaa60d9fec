#include "chunk.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace uptack::report {
namespace {

/// Small numbers of either sign become small numbers: 0, -1, 1, -2 are 0, 1, 2, 3.
std::uint32_t zigzag(std::uint32_t wrapped) {
    return wrapped << 1 ^ (wrapped >> 31 != 0 ? 0xffffffffU : 0U);
}
std::uint16_t zigzag(std::uint16_t wrapped) {
    return static_cast<std::uint16_t>(wrapped << 1 ^ (wrapped >> 15 != 0 ? 0xffff : 0));
}

/// Writes columns of unsigned integers plane by plane, lowest byte first.
class PlaneWriter {
public:
    PlaneWriter(std::string& bytes, std::size_t entries) : bytes_(bytes), entries_(entries) {}

    /// `value(k)` gives entry k.
    template <class Value>
    void column(const Value& value) {
        using Unsigned = decltype(value(std::size_t{}));
        const std::size_t start = bytes_.size();
        bytes_.resize(start + sizeof(Unsigned) * entries_);
        for (std::size_t k = 0; k < entries_; ++k) {
            const auto word = static_cast<std::uint32_t>(value(k));
            for (std::size_t plane = 0; plane < sizeof(Unsigned); ++plane) {
                bytes_[start + plane * entries_ + k] = static_cast<char>(word >> (8 * plane) & 0xffU);
            }
        }
    }

private:
    std::string& bytes_;
    std::size_t entries_;
};

/// The second difference along the frames of what `integer(frame, body)` gives, wrapped; at the first frame
/// the value itself, at the second the first difference.
template <class Unsigned, class Integer>
Unsigned residual(const Integer& integer, std::size_t f, std::size_t b) {
    const auto at = [&](std::size_t frame) { return static_cast<Unsigned>(integer(frame, b)); };
    if (f == 0) return at(0);
    if (f == 1) return static_cast<Unsigned>(at(1) - at(0));
    return static_cast<Unsigned>(at(f) - 2U * at(f - 1) + at(f - 2));
}

/// The nearest of 0 and every `step`-th byte down from 255; what is not 0 stays so.
std::uint8_t stepped(std::uint8_t code, int step) {
    if (code == 0 || step == 1) return code;
    const int below = (255 - code + step / 2) / step * step;
    return static_cast<std::uint8_t>(std::max(1, 255 - below));
}

void append_u32(std::string& bytes, std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(value >> shift & 0xffU));
}

/// Indices of the contacts that are kept, in ascending order.
std::vector<std::size_t> strongest(const Frame& frame, std::int64_t most) {
    std::vector<std::size_t> order(frame.contacts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (std::ssize(order) <= most) return order;
    std::vector<double> rank(order.size());
    std::transform(frame.contacts.begin(), frame.contacts.end(), rank.begin(),
                   [](const FrameContact& contact) { return length(contact.force_w); });
    if (frame.worst_block_contact >= 0) rank[static_cast<std::size_t>(frame.worst_block_contact)] = infinity;
    const auto stronger = [&rank](std::size_t a, std::size_t b) {
        return rank[a] != rank[b] ? rank[a] > rank[b] : a < b;
    };
    std::nth_element(order.begin(), order.begin() + most, order.end(), stronger);
    order.resize(static_cast<std::size_t>(most));
    std::sort(order.begin(), order.end());
    return order;
}

QuantisedContact quantised(const FrameContact& contact, const QuantisedFrame& bodies, const Survey& survey) {
    const int anchor = contact.body_a >= 0 ? contact.body_a : contact.body_b;
    std::array<std::int32_t, 3> offset = survey.grid.integers(contact.point_w);
    if (anchor >= 0) {
        const auto& from = bodies.position[static_cast<std::size_t>(anchor)];
        for (std::size_t k = 0; k < 3; ++k) {
            offset[k] = static_cast<std::int32_t>(static_cast<std::uint32_t>(offset[k]) -
                                                  static_cast<std::uint32_t>(from[k]));
        }
    }
    const std::uint8_t force = survey.contact_force_N.code(length(contact.force_w));
    return {.body_a = contact.body_a,
            .body_b = contact.body_b,
            .offset = offset,
            .direction = force > 0 ? octahedral(contact.force_w) : std::array<std::uint8_t, 2>{},
            .force = force,
            .error = survey.contact_error_J.code(contact.energy_error_J)};
}

}  // namespace

int chunk_frames(std::size_t bodies) {
    constexpr std::size_t body_frames = 320'000;  // 18 MB in the page's memory
    return static_cast<int>(std::clamp<std::size_t>(body_frames / std::max<std::size_t>(1, bodies), 4, 32));
}

QuantisedFrame quantised(const Frame& frame, const Survey& survey) {
    const BodyLoads loads = body_loads(frame);
    const int step = survey.precision.byte_step;
    QuantisedFrame result;
    for (std::size_t k = 0; k < frame.pose.size(); ++k) {
        result.position.push_back(survey.grid.integers(frame.pose[k].position));
        result.turn.push_back(smallest_three(frame.pose[k].orientation, survey.precision.rotation_steps));
        result.load.push_back(stepped(survey.load_N.code(loads.force_N[k]), step));
        result.error.push_back(stepped(survey.error_J.code(loads.error_J[k]), step));
    }
    return result;
}

std::vector<QuantisedContact> quantised_contacts(const Frame& frame, const QuantisedFrame& bodies,
                                                 const Survey& survey, std::int64_t most) {
    std::vector<QuantisedContact> contacts;
    for (const std::size_t k : strongest(frame, most)) {
        contacts.push_back(quantised(frame.contacts[k], bodies, survey));
    }
    return contacts;
}

std::string motion_bytes(const Chunk& chunk) {
    const std::vector<QuantisedFrame>& frames = chunk.frames;
    const std::size_t bodies = frames.empty() ? 0 : frames.front().position.size();
    std::string bytes;
    bytes.reserve(21 * bodies * frames.size());
    if (bodies == 0) return bytes;
    PlaneWriter writer(bytes, bodies * frames.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto integer = [&](std::size_t f, std::size_t b) { return frames[f].position[b][axis]; };
        writer.column(
            [&](std::size_t k) { return zigzag(residual<std::uint32_t>(integer, k / bodies, k % bodies)); });
    }
    for (std::size_t slot = 0; slot < 3; ++slot) {
        const auto integer = [&](std::size_t f, std::size_t b) { return frames[f].turn[b].others[slot]; };
        writer.column(
            [&](std::size_t k) { return zigzag(residual<std::uint16_t>(integer, k / bodies, k % bodies)); });
    }
    writer.column([&](std::size_t k) { return frames[k / bodies].turn[k % bodies].largest; });
    for (const auto member : {&QuantisedFrame::load, &QuantisedFrame::error}) {
        writer.column([&](std::size_t k) {
            const std::uint8_t now = (frames[k / bodies].*member)[k % bodies];
            const std::uint8_t before = k < bodies ? 0 : (frames[k / bodies - 1].*member)[k % bodies];
            return static_cast<std::uint8_t>(now - before);
        });
    }
    return bytes;
}

std::string contact_bytes(const Chunk& chunk) {
    std::string bytes;
    std::vector<QuantisedContact> all;
    for (const std::vector<QuantisedContact>& contacts : chunk.contacts) {
        append_u32(bytes, static_cast<std::uint32_t>(contacts.size()));
        all.insert(all.end(), contacts.begin(), contacts.end());
    }
    PlaneWriter writer(bytes, all.size());
    for (const auto member : {&QuantisedContact::body_a, &QuantisedContact::body_b}) {
        writer.column([&](std::size_t k) {
            const auto before = static_cast<std::uint32_t>(k > 0 ? all[k - 1].*member : 0);
            return zigzag(static_cast<std::uint32_t>(all[k].*member) - before);
        });
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        writer.column([&](std::size_t k) { return zigzag(static_cast<std::uint32_t>(all[k].offset[axis])); });
    }
    for (std::size_t part = 0; part < 2; ++part) {
        writer.column([&](std::size_t k) { return all[k].direction[part]; });
    }
    writer.column([&](std::size_t k) { return all[k].force; });
    writer.column([&](std::size_t k) { return all[k].error; });
    return bytes;
}

}  // namespace uptack::report
