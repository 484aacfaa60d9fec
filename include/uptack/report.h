// A run as one HTML file that shows it: the recording, made small, in the page that viewer/ builds.
//
// Written by: report.  Read by: apps (report, view, compare).  The layout of the data is in
// docs/07-file-formats.md, "Report page".  It must not know how the page draws.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "uptack/recording.h"

namespace uptack {

// ---- any page ---------------------------------------------------------------------------------------------

/// Bytes that the page's script asks for by name; deflated and base64-coded on writing.
struct PageBlob {
    std::string name;
    std::string bytes;
};

/// Was this library built with the page?
bool has_page();

/// One self-contained HTML file.  `title` is text, not HTML; `document_json` tells the page what to show
/// (viewer/src/data/types.ts).  Throws InputError if the library was built without the page.
void write_page(std::ostream& out, std::string_view title, std::string_view document_json,
                std::span<const PageBlob> blobs = {});

// ---- the page of a run ------------------------------------------------------------------------------------

/// One line of what is said about the run.
struct SummaryLine {
    std::string label;
    std::string value;
};

struct ReportOptions {
    int every = 1;            ///< takes one of so many recorded frames
    double max_bytes = 60e6;  ///< of the page; contacts, then digits, then frames are left out to stay below
    std::string recording{};  ///< the file's name, for people
    std::string command{};    ///< that makes the page, for people
    std::string creator = "uptack";
    std::vector<SummaryLine> summary{};
};

/// What went into a page.
struct ReportFacts {
    int frames = 0;
    int every = 1;  ///< at least the one that was asked for
    std::int64_t contacts_kept = 0;
    std::int64_t contacts_found = 0;  ///< in the frames that are there
    int joints = 0;                   ///< whose reactions are there
    bool coarse = false;              ///< less exact than usual, to be small
    double quantum_m = 0.0;           ///< positions are known to half of it [m]
    double angle_rad = 0.0;           ///< and orientations to this [rad]
    std::int64_t bytes = 0;
};

/// Reads the recording at least twice, one frame at a time.  Throws InputError where it is damaged, and
/// LimitError where even a few frames would be larger than `max_bytes`.
ReportFacts write_report(std::ostream& out, const Recording& recording, const ReportOptions& options = {});

}  // namespace uptack
