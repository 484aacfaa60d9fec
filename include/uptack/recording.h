// A run on disk: what moved how, with which error, and where to go on from.
//
// Written by: recording.  Read by: apps (export, report, view, resume).  The layout is in
// docs/file-formats.md. A recording that was cut off at any moment opens and has every frame that was
// flushed.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "uptack/contact.h"
#include "uptack/scene.h"
#include "uptack/simulation.h"

namespace uptack {

struct FrameContact {
    int body_a = -1;
    int body_b = -1;
    Vec3 point_w{};
    Vec3 normal_w{};
    double gap = 0.0;
    Vec3 force_w{};  ///< on body a [N]
    double energy_error_J = 0.0;
};

/// One moment of a run.
struct Frame {
    double time = 0.0;
    std::int64_t step = 0;
    std::vector<Pose> pose;  ///< centres of mass
    std::vector<Vec6> velocity;
    std::vector<FrameContact> contacts;
    std::vector<JointReaction> joints;
    int worst_block_contact = -1;  ///< the worst constraint as a contact of this frame, or
    int worst_block_joint = -1;    ///< as a joint of the model; both -1 if there is none
};

Frame make_frame(const Simulation& simulation);

struct RecordingOptions {
    int compression = 4;  ///< gzip level, 0 to 9
    bool contacts = true;
    double flush_every_s = 1.0;  ///< wall clock between flushes [s]
};

class RecordingWriter {
public:
    /// Creates `path`.  Throws InputError where that is impossible.
    RecordingWriter(const std::filesystem::path& path, const Scene& scene,
                    const RecordingOptions& options = {});
    /// Goes on with a recording after its last checkpoint, dropping what lies behind it.
    static RecordingWriter resume(const std::filesystem::path& path, const RecordingOptions& options = {});
    ~RecordingWriter();
    RecordingWriter(RecordingWriter&&) noexcept;

    void add_frame(const Frame& frame);
    void add_report(const StepReport& report);  ///< every step, recorded or not
    void add_checkpoint(const Checkpoint& checkpoint);
    void flush();
    /// Flushes and says that the run came to its end.
    void finish();

private:
    struct Inside;
    explicit RecordingWriter(std::unique_ptr<Inside> inside);
    std::unique_ptr<Inside> inside_;
};

/// Opened for reading; frames are read one at a time.
class Recording {
public:
    /// Throws InputError: not a recording, of another version, damaged; LimitError.
    explicit Recording(const std::filesystem::path& path);
    ~Recording();
    Recording(Recording&&) noexcept;

    bool finished() const;
    int frame_count() const;
    Frame frame(int index) const;
    std::vector<StepReport> reports() const;
    std::optional<Checkpoint> last_checkpoint() const;
    /// The scene as it was run (parsed again from the stored document).
    const Scene& scene() const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

/// One CSV of bodies over time and one of step reports, `stem`_bodies.csv and `stem`_steps.csv.
void export_csv(const Recording& recording, const std::filesystem::path& stem);
/// `stem`.pvd and a VTP file per frame for ParaView: the shapes' surfaces and the contacts' forces.
void export_vtk(const Recording& recording, const std::filesystem::path& stem);

}  // namespace uptack
