// The page of a run:
//   1. look at the recording: extents, ranges
//   2. encode frames; if that is too large, leave out the weakest contacts, then digits, then frames, and
//   again
//   3. write the page
// What was left out is said in the document.

#include "uptack/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "encoder.h"
#include "steps.h"
#include "uptack/input_error.h"

namespace uptack {
namespace report {
namespace {

using Json = nlohmann::ordered_json;

// Motion may take so much of the page; beyond that it is made coarser, and at last frames are left out.
constexpr double fine_motion_share = 0.6;
constexpr double motion_share = 0.9;
// Aimed below the limit by so much, since sizes are predictions.
constexpr double margin = 0.97;

const std::string& title_of(const Scene& scene) {
    return scene.title.empty() ? scene.name : scene.title;
}

Json scale_json(const LogScale& scale) {
    return {{"lower", scale.lower}, {"upper", scale.upper}};
}

Json frames_json(const EncodedFrames& encoded, const Survey& survey, const Plan& plan) {
    return {{"count", encoded.frames},
            {"every", plan.every},
            {"chunk", encoded.chunk},
            {"origin", survey.grid.origin},
            {"quantum_m", survey.grid.quantum_m},
            {"rotation_steps", survey.precision.rotation_steps},
            {"byte_step", survey.precision.byte_step},
            {"speed_m_s", survey.speed_m_s},
            {"load_N", scale_json(survey.load_N)},
            {"error_J", scale_json(survey.error_J)},
            {"contacts",
             {{"force_N", scale_json(survey.contact_force_N)},
              {"error_J", scale_json(survey.contact_error_J)},
              {"kept", encoded.kept},
              {"found", encoded.found}}}};
}

/// The model's JSON goes in as text: for many bodies it is most of the document.
std::string document_json(const Recording& recording, const ReportOptions& options, const Json& frames,
                          const StepColumns& steps, const std::vector<int>& joints) {
    Json summary = Json::array();
    for (const SummaryLine& line : options.summary) {
        summary.push_back({{"label", line.label}, {"value", line.value}});
    }
    const Json document{{"kind", "run"},
                        {"version", 1},
                        {"creator", options.creator},
                        {"command", options.command},
                        {"recording", options.recording},
                        {"finished", recording.finished()},
                        {"frames", frames},
                        {"steps",
                         {{"count", steps.count},
                          {"merged", steps.merged},
                          {"columns", steps.columns},
                          {"strings", steps.strings}}},
                        {"joints", joints},
                        {"summary", summary}};
    std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.pop_back();
    return text + ",\"model\":" + model_json(recording.scene()) + "}";
}

/// The cap that keeps about `wanted` contacts in the frames that `every` takes.
std::int64_t cap_for(const Survey& survey, int every, double wanted) {
    std::vector<std::int64_t> counts;
    for (std::size_t k = 0; k < survey.contacts.size(); k += static_cast<std::size_t>(every)) {
        counts.push_back(survey.contacts[k]);
    }
    std::sort(counts.begin(), counts.end());
    double below = 0.0;  // contacts in frames that the cap does not touch
    for (std::size_t k = 0; k < counts.size(); ++k) {
        const auto frames = static_cast<double>(counts.size() - k);
        if (below + frames * static_cast<double>(counts[k]) > wanted) {
            return std::max<std::int64_t>(1, static_cast<std::int64_t>((wanted - below) / frames));
        }
        below += static_cast<double>(counts[k]);
    }
    return all_contacts;
}

/// What the next attempt is to leave out, and how exact it is to be.
struct Attempt {
    Plan plan;
    Survey survey;
    bool coarse = false;

    double room_for_motion() const { return coarse ? motion_share : fine_motion_share; }
};

/// What to try after `now` gave something larger than `room` bytes.
void make_smaller(Attempt& now, const EncodedFrames& encoded, double room) {
    const auto motion = static_cast<double>(encoded.motion_bytes);
    const auto kept = static_cast<double>(std::max<std::int64_t>(1, encoded.kept));
    const double per_contact = std::max(1.0, static_cast<double>(encoded.contacts_bytes) / kept);
    Plan& plan = now.plan;
    if (motion <= now.room_for_motion() * room && plan.most_contacts > 1) {
        const double wanted = (margin * room - motion) / per_contact;
        plan.most_contacts = std::min(plan.most_contacts - 1, cap_for(now.survey, plan.every, wanted));
    } else if (!now.coarse) {
        now.coarse = true;
        now.survey = coarser(now.survey);
    } else {
        const double times = std::max(motion / (motion_share * margin * room), 1.0);
        const int every = std::max(plan.every + 1, static_cast<int>(std::ceil(plan.every * times)));
        const double motion_then = motion * plan.every / every;
        plan = {every,
                cap_for(now.survey, every, std::max(0.0, (margin * room - motion_then) / per_contact))};
    }
}

/// Bytes before deflating; base64 makes 4/3 of it, but it never deflates so badly.
double raw_bytes(const Recording& recording, const Survey& survey, int every) {
    double raw =
        21.0 * static_cast<double>(recording.scene().model.bodies.size()) * recording.frame_count() / every;
    for (const std::int64_t contacts : survey.contacts) raw += 24.0 * static_cast<double>(contacts);
    return raw;
}

/// Large recordings are tried on a few chunks first, to save whole passes.
Attempt first_attempt(const Recording& recording, int every, const Survey& survey, double room) {
    constexpr int stride = 8;
    constexpr int most_tries = 6;
    Attempt attempt{.plan = {.every = every}, .survey = survey};
    if (raw_bytes(recording, survey, every) < room) return attempt;
    for (int k = 0; k < most_tries; ++k) {
        const EncodedFrames estimate = estimate_frames(recording, attempt.survey, attempt.plan, stride);
        if (static_cast<double>(estimate.motion_bytes + estimate.contacts_bytes) <= room) break;
        make_smaller(attempt, estimate, room);
    }
    return attempt;
}

struct Page {
    std::string document{};
    std::vector<PackedBlob> blobs{};
    EncodedFrames encoded{};  ///< its blobs moved to `blobs`
    Attempt attempt{};
    std::int64_t bytes = 0;
};

[[noreturn]] void give_up(const ReportOptions& options, std::int64_t bytes) {
    throw LimitError(options.recording,
                     fmt::format("the page would have {:.1f} MB even with a single frame, and {:.1f} are "
                                 "allowed; allow more",
                                 static_cast<double>(bytes) * 1e-6, options.max_bytes * 1e-6));
}

void append(std::vector<PackedBlob>& blobs, std::vector<PackedBlob>& more) {
    std::move(more.begin(), more.end(), std::back_inserter(blobs));
    more.clear();
}

Page make_page(const Recording& recording, const ReportOptions& options) {
    const std::string& title = title_of(recording.scene());
    const Survey survey = look_at(recording, options.every);
    const StepColumns steps = step_columns(recording.reports());
    const PackedBlob steps_blob{"steps", deflated(steps.bytes)};
    const auto document = [&](const EncodedFrames& encoded, const Attempt& attempt) {
        const Json frames = frames_json(encoded, attempt.survey, attempt.plan);
        return document_json(recording, options, frames, steps, encoded.joints);
    };
    const std::int64_t least = page_bytes(title, document({}, {})) + blob_bytes(steps_blob);
    if (static_cast<double>(least) > options.max_bytes) give_up(options, least);
    const double room = options.max_bytes - static_cast<double>(least);
    Attempt attempt = first_attempt(recording, options.every, survey, room);
    for (;;) {
        EncodedFrames encoded = encode_frames(recording, attempt.survey, attempt.plan,
                                              static_cast<std::int64_t>(options.max_bytes));
        Page page{.document = document(encoded, attempt), .blobs = {steps_blob}, .attempt = attempt};
        append(page.blobs, encoded.columns);
        const std::int64_t chunks = encoded.motion_bytes + encoded.contacts_bytes;
        page.bytes = page_bytes(title, page.document) + chunks;
        for (const PackedBlob& blob : page.blobs) page.bytes += blob_bytes(blob);
        if (static_cast<double>(page.bytes) <= options.max_bytes) {
            append(page.blobs, encoded.chunks);
            page.encoded = std::move(encoded);
            return page;
        }
        if (encoded.frames <= 1) give_up(options, page.bytes);
        make_smaller(attempt, encoded, options.max_bytes - static_cast<double>(page.bytes - chunks));
    }
}

}  // namespace
}  // namespace report

ReportFacts write_report(std::ostream& out, const Recording& recording, const ReportOptions& options) {
    using namespace report;
    page_bytes("", "");  // throws if there is no page, before the long work
    if (recording.frame_count() == 0) {
        throw InputError(options.recording, "has no frames yet; let the run go on for a while");
    }
    const Page page = make_page(recording, options);
    write_packed_page(out, title_of(recording.scene()), page.document, page.blobs);
    return {.frames = page.encoded.frames,
            .every = page.attempt.plan.every,
            .contacts_kept = page.encoded.kept,
            .contacts_found = page.encoded.found,
            .joints = static_cast<int>(page.encoded.joints.size()),
            .coarse = page.attempt.coarse,
            .quantum_m = page.attempt.survey.grid.quantum_m,
            .angle_rad = rotation_precision(page.attempt.survey.precision.rotation_steps),
            .bytes = page.bytes};
}

}  // namespace uptack
