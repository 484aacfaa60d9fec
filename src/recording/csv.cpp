#include <fmt/format.h>

#include <iterator>

#include "text_file.h"
#include "uptack/recording.h"

namespace uptack {
namespace {

using recording::TextFile;

// Numbers in the shortest form that reads back bit by bit; names always quoted.
class Table {
public:
    explicit Table(const std::filesystem::path& path, std::string_view head) : file_(path) {
        file_.write(head);
        file_.write("\n");
    }

    template <class Number>
    void add(Number value) {
        separate();
        fmt::format_to(std::back_inserter(line_), "{}", value);
    }
    void add(const Vec3& values) {
        for (const double value : values) add(value);
    }
    void add_text(std::string_view text) {
        separate();
        line_ += '"';
        for (const char c : text) {
            if (c == '"') line_ += '"';
            line_ += c;
        }
        line_ += '"';
    }
    void end_line() {
        line_ += '\n';
        file_.write(line_);
        line_.clear();
    }
    void commit() { file_.commit(); }

private:
    void separate() {
        if (!line_.empty()) line_ += ',';
    }

    TextFile file_;
    std::string line_;
};

void write_bodies(const Frame& frame, const Model& model, Table& table) {
    for (std::size_t k = 0; k < frame.pose.size(); ++k) {
        const Quaternion& q = frame.pose[k].orientation;
        table.add(frame.time);
        table.add(frame.step);
        table.add_text(model.bodies[k].name);
        table.add(frame.pose[k].position);
        for (const double value : {q.w, q.x, q.y, q.z}) table.add(value);
        for (const double value : frame.velocity[k]) table.add(value);
        table.end_line();
    }
}

void write_joints(const Frame& frame, const Model& model, Table& table) {
    for (std::size_t k = 0; k < frame.joints.size(); ++k) {
        const JointReaction& joint = frame.joints[k];
        table.add(frame.time);
        table.add(frame.step);
        table.add_text(model.joints[k].name);
        for (const Vec3& value : {joint.force_w, joint.torque_w, joint.force_j, joint.torque_j}) {
            table.add(value);
        }
        table.end_line();
    }
}

void write_step(const StepReport& report, Table& table) {
    table.add(report.step);
    table.add(report.time);
    table.add(status_name(report.status));
    table.add(report.tolerance_met ? 1 : 0);
    table.add_text(report.solver);
    table.add(report.iterations);
    for (const double value : {report.collision_s, report.assembly_s, report.solve_s, report.total_s,
                               report.energy_error_J, report.relative_error}) {
        table.add(value);
    }
    table.add_text(report.worst);
    table.add(report.worst_error_J);
    for (const int value : {report.contacts, report.rows, report.islands, report.sleeping}) table.add(value);
    table.add(report.max_penetration);
    table.add_text(report.deepest);
    table.add(report.max_joint_drift);
    table.add_text(report.loosest);
    table.add(report.kinetic_J);
    table.add(report.potential_J);
    table.add_text(report.reason);
    table.end_line();
}

}  // namespace

void export_csv(const Recording& recording, const std::filesystem::path& stem) {
    const Model& model = recording.scene().model;
    Table bodies(stem.string() + "_bodies.csv",
                 "time_s,step,body,x_m,y_m,z_m,qw,qx,qy,qz,vx_m_s,vy_m_s,vz_m_s,wx_rad_s,wy_rad_s,wz_rad_s");
    Table joints(stem.string() + "_joints.csv",
                 "time_s,step,joint,fx_N,fy_N,fz_N,tx_Nm,ty_Nm,tz_Nm,fx_joint_N,fy_joint_N,fz_joint_N,"
                 "tx_joint_Nm,ty_joint_Nm,tz_joint_Nm");
    Table steps(stem.string() + "_steps.csv",
                "step,time_s,status,tolerance_met,solver,iterations,collision_s,assembly_s,solve_s,total_s,"
                "energy_error_J,relative_error,worst,worst_error_J,contacts,rows,islands,sleeping,"
                "max_penetration_m,deepest,max_joint_drift_m,loosest,kinetic_J,potential_J,reason");
    for (int k = 0; k < recording.frame_count(); ++k) {
        const Frame frame = recording.frame(k);
        write_bodies(frame, model, bodies);
        write_joints(frame, model, joints);
    }
    for (const StepReport& report : recording.reports()) write_step(report, steps);
    for (Table* table : {&bodies, &joints, &steps}) table->commit();
}

}  // namespace uptack
