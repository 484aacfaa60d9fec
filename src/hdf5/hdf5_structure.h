// A look at the skeleton of an HDF5 file before the library walks it.
//
// Files of the old layout (superblock 0 and 1: what FCLIB's writers make) have no checksums, and the HDF5
// library follows damaged group structures into memory faults.  So the structures it trusts most are checked
// here: object headers, group B-trees, symbol nodes and name heaps must lie inside the file and fit together.
// Newer layouts carry checksums, which the library itself checks.
// Names are those of the HDF5 file format specification, version 3.0, sections II.A, III.A, III.C, III.D,
// IV.A.

#pragma once

#include <filesystem>

namespace uptack::hdf5 {

/// Throws InputError when a group of the old layout is damaged.
void check_structure(const std::filesystem::path& path);

}  // namespace uptack::hdf5
