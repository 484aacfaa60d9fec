// Recordings: opened or refused; of an opened one everything is read that the verbs read, a report's data are
// made, and it is gone on with.

#include <algorithm>

#include "encoder.h"
#include "steps.h"
#include "support/fuzz.h"
#include "support/private_file.h"
#include "survey.h"
#include "uptack/recording.h"

namespace uptack::fuzz {
namespace {

constexpr int max_frames = 8;
constexpr std::size_t max_bodies = 32;

void read_everything(const Recording& recording) {
    for (int k = 0; k < std::min(recording.frame_count(), max_frames); ++k) {
        accepted([&] { return recording.frame(k); });
    }
    const auto reports = accepted([&] { return recording.reports(); });
    if (reports) report::step_columns(*reports);
    const auto checkpoint = accepted([&] { return recording.last_checkpoint(); });
    if (!checkpoint || !*checkpoint) return;
    accepted([&] {
        Simulation simulation(recording.scene().model, recording.scene().settings);
        simulation.restore(**checkpoint);
        return simulation.step();
    });
}

void make_report(const Recording& recording) {
    accepted([&] {
        const report::Survey survey = report::look_at(recording, 1);
        return report::encode_frames(recording, survey, {}, 1'000'000);
    });
}

}  // namespace
}  // namespace uptack::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace uptack;
    using namespace uptack::fuzz;
    use_one_thread();
    static const PrivateFolder folder;
    const std::filesystem::path file = folder.write("input.h5", data, size);
    is_recording(file);
    {
        const auto recording = accepted([&] { return Recording(file); });
        if (!recording || recording->scene().model.bodies.size() > max_bodies) return 0;
        read_everything(*recording);
        if (recording->frame_count() <= max_frames) make_report(*recording);
    }
    accepted([&] { return RecordingWriter::resume(file); });
    return 0;
}
