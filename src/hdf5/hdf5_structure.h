// A look at the skeleton of an HDF5 file before the library walks it.
//
// Files of the old layout (superblock 0 and 1: what FCLIB's writers make) have no checksums, and the HDF5
// library follows damaged group structures into memory faults.  So the structures it trusts most are checked
// here: object headers, group B-trees, symbol nodes and name heaps must lie inside the file and fit together.
// Newer layouts carry checksums, which the library itself checks.  Neither layout keeps the library from
// believing what a header's messages say; hdf5_messages.h is about those.
// Names are those of the HDF5 file format specification, version 3.0, sections II.A, III.A, III.C, III.D,
// IV.A.

#pragma once

#include <cstdint>
#include <filesystem>

namespace uptack::hdf5 {

/// Throws InputError when a group of the old layout is damaged, or the header of the root group of any.
void check_structure(const std::filesystem::path& path);

/// Throws InputError when a message in the header of the object at `address` is damaged or not for us.  To be
/// called before the library opens the object, of whatever layout.
void check_object(const std::filesystem::path& path, std::uint64_t address);

}  // namespace uptack::hdf5
