// A run on disk: what moved how, with which error, and where to go on from.
//
// Written by: recording.  Read by: apps (export, report, view, resume).  The layout is in
// docs/07-file-formats.md. A recording that was cut off at any moment opens and has every frame that was
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

/// For what recordings, exports and pages hold as floats: finite numbers stay finite, those beyond 3.4e38
/// become that.
float single_precision(double value);

struct RecordingOptions {
    int compression = 4;  ///< gzip level, 0 to 9
    bool contacts = true;
    double flush_every_s = 1.0;  ///< wall clock between flushes [s]
};

/// Writes `path`.part, which opens at any moment; finish() or stop() make it `path`.  Everything may throw
/// InputError: the disk can be full at any time.
class RecordingWriter {
public:
    /// Refuses where `path`.part is there already: a run that was cut off may be wanted.
    RecordingWriter(const std::filesystem::path& path, const Scene& scene,
                    const RecordingOptions& options = {});
    /// Goes on with a recording (`path` or `path`.part) after its last checkpoint, dropping what lies behind
    /// it: everything, where there is none.  The old file stays whole until the new one is.  Refuses where
    /// another process still writes it.
    static RecordingWriter resume(const std::filesystem::path& path, const RecordingOptions& options = {});
    ~RecordingWriter();
    RecordingWriter(RecordingWriter&&) noexcept;

    void add_frame(const Frame& frame);
    void add_report(const StepReport& report);  ///< every step, recorded or not
    void add_checkpoint(const Checkpoint& checkpoint);
    void flush();
    /// Flushes and says that the run came to its end.
    void finish();
    /// The same where it did not: to be gone on with, or not.
    void stop();

private:
    struct Inside;
    explicit RecordingWriter(std::unique_ptr<Inside> inside);
    std::unique_ptr<Inside> inside_;
};

/// Is this file a recording, of whatever version?  False for what cannot be read.
bool is_recording(const std::filesystem::path& path);

/// What viewers need of a scene, as JSON text: bodies, shapes, joints, materials, camera.  Recordings hold it
/// as /model; docs/07-file-formats.md has the fields.
std::string model_json(const Scene& scene);

/// Opened for reading; frames are read one at a time.
class Recording {
public:
    /// Throws InputError: not a recording, of another version, damaged; LimitError.
    explicit Recording(const std::filesystem::path& path);
    ~Recording();
    Recording(Recording&&) noexcept;

    bool finished() const;
    int frame_count() const;
    std::int64_t step_count() const;
    Frame frame(int index) const;
    std::vector<StepReport> reports() const;
    std::optional<Checkpoint> last_checkpoint() const;
    /// The scene as it was run (parsed again from the stored document).
    const Scene& scene() const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

/// Bodies over time, joint reactions over time and step reports: `stem`_bodies.csv, _joints.csv, _steps.csv.
void export_csv(const Recording& recording, const std::filesystem::path& stem);
/// `stem`.pvd for ParaView and two VTP files per frame: the shapes' surfaces, and the contacts with their
/// forces.
void export_vtk(const Recording& recording, const std::filesystem::path& stem);

}  // namespace uptack
