// Pictures of pages, made by a headless Chromium: for `report --png` and `compare --png`.

#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

#include "common.h"

namespace uptack::app {

/// How the page is to be photographed; empty words leave the choice to the page.
struct PictureOptions {
    std::string png;  ///< the file, or empty: no picture
    std::string size = "1280x800";
    std::string theme;
};

/// --png, --size, --theme.
void add_picture_options(CLI::App& verb, PictureOptions& picture);

/// Throws InputError where no Chromium is installed or the picture could not be written.  Called before long
/// work.
void check_picture(const PictureOptions& picture);

/// Writes the page to a place of its own, opens it with `hash` behind its address and takes the picture when
/// the page says that it is ready.
void write_picture(const PictureOptions& picture, const std::string& hash,
                   const std::function<void(std::ostream&)>& write_page);

}  // namespace uptack::app
