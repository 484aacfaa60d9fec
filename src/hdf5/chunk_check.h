// Chunks, measured and inflated by hand before the library reads them.
//
// libhdf5 1.10 believes that a chunk is as long as it should be, once its filters are undone: a shorter
// deflate stream, a chunk whose mask says that it was not compressed, or an index that gives it fewer bytes
// is then read from beyond its end.  Costs an inflation of the data, and little where there are no filters.

#pragma once

#include <hdf5.h>

#include <string_view>

namespace uptack::hdf5 {

/// What is wrong with the chunks of a dataset, or empty.
std::string_view chunks_fault(hid_t dataset);

}  // namespace uptack::hdf5
