// HDF5 files made, changed and read with the plain C API, so that the tests do not trust the code they test.

#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "uptack/input_error.h"

namespace uptack::test {

namespace fs = std::filesystem;

/// Parameterised tests have slashes in their names.
inline std::string sanitized(std::string name) {
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
}

/// A folder of its own for every test, gone afterwards.
class ScratchFolder {
public:
    ScratchFolder() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        path_ = fs::temp_directory_path() / (std::string("uptack_") + test->test_suite_name() + "_" +
                                             test->name() + "_" + std::to_string(getpid()));
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    ~ScratchFolder() { fs::remove_all(path_); }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    fs::path operator/(const std::string& name) const { return path_ / name; }
    bool empty() const { return fs::is_empty(path_); }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

inline std::vector<char> file_bytes(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const fs::path& path, const std::vector<char>& bytes) {
    std::ofstream stream(path, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline void write_text_file(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

/// What an InputError says, or "" when `action` throws none.
template <class Action>
std::string input_error(const Action& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

class RawFile {
public:
    enum class Mode { create, edit, read };

    RawFile(const fs::path& path, Mode mode) {
        if (mode == Mode::create) {
            file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        } else {
            file_ = H5Fopen(path.c_str(), mode == Mode::edit ? H5F_ACC_RDWR : H5F_ACC_RDONLY, H5P_DEFAULT);
        }
        EXPECT_GE(file_, 0) << path;
    }
    ~RawFile() { H5Fclose(file_); }
    RawFile(const RawFile&) = delete;
    RawFile& operator=(const RawFile&) = delete;

    hid_t id() const { return file_; }

    void group(const std::string& name) {
        H5Gclose(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    void remove(const std::string& name) {
        EXPECT_GE(H5Ldelete(file_, name.c_str(), H5P_DEFAULT), 0) << name;
    }

    void ints(const std::string& name, const std::vector<int>& values) {
        put(name, H5T_STD_I32LE, H5T_NATIVE_INT, {values.size()}, values.data());
    }
    void doubles(const std::string& name, const std::vector<double>& values) {
        put(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {values.size()}, values.data());
    }
    void table(const std::string& name, const std::vector<hsize_t>& extent,
               const std::vector<double>& values) {
        put(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, extent, values.data());
    }
    void text(const std::string& name, const std::string& value) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, value.size() + 1);
        put(name, type, type, {}, value.c_str());
        H5Tclose(type);
    }

    /// Replaces what was there.
    void set_ints(const std::string& name, const std::vector<int>& values) {
        remove(name);
        ints(name, values);
    }
    void set_doubles(const std::string& name, const std::vector<double>& values) {
        remove(name);
        doubles(name, values);
    }

    bool has(const std::string& name) const { return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0; }
    std::vector<int> get_ints(const std::string& name) const { return get<int>(name, H5T_NATIVE_INT); }
    std::vector<double> get_doubles(const std::string& name) const {
        return get<double>(name, H5T_NATIVE_DOUBLE);
    }

    void put(const std::string& name, hid_t file_type, hid_t memory_type, const std::vector<hsize_t>& extent,
             const void* values) {
        const hid_t space = extent.empty()
                                ? H5Screate(H5S_SCALAR)
                                : H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr);
        const hid_t dataset =
            H5Dcreate2(file_, name.c_str(), file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        EXPECT_GE(dataset, 0) << name;
        if (values != nullptr) H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        H5Dclose(dataset);
        H5Sclose(space);
    }

private:
    template <class T>
    std::vector<T> get(const std::string& name, hid_t memory_type) const {
        const hid_t dataset = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
        EXPECT_GE(dataset, 0) << name;
        const hid_t space = H5Dget_space(dataset);
        std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
        H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
        H5Sclose(space);
        H5Dclose(dataset);
        return values;
    }

    hid_t file_ = -1;
};

/// CSparse's fields, as FCLIB stores them.
struct RawMatrix {
    int m = 0;
    int n = 0;
    int nz = 0;
    std::vector<int> p;
    std::vector<int> i;
    std::vector<double> x;
};

inline void put_matrix(RawFile& file, const std::string& group, const RawMatrix& matrix) {
    file.group(group);
    file.ints(group + "/m", {matrix.m});
    file.ints(group + "/n", {matrix.n});
    file.ints(group + "/nz", {matrix.nz});
    file.ints(group + "/nzmax", {static_cast<int>(matrix.x.size())});
    file.ints(group + "/p", matrix.p);
    file.ints(group + "/i", matrix.i);
    file.doubles(group + "/x", matrix.x);
}

}  // namespace uptack::test
