#include "system/path_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/thrown_error.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;

class PathStatus : public testing::Test {
 protected:
  [[nodiscard]] fs::path in(std::string_view name) const { return folder_.file(name); }

  TemporaryFolder folder_{"path-status-test"};
};

TEST_F(PathStatus, TellsFilesFromFoldersAndFromNothing) {
  write_file_atomically(in("file"), "x");
  EXPECT_TRUE(is_file(in("file")));
  EXPECT_FALSE(is_folder(in("file")));
  EXPECT_TRUE(is_folder(folder_.path()));
  EXPECT_FALSE(is_file(folder_.path()));
  fs::create_symlink("nothing", in("link"));
  for (const fs::path& missing : {in("none"), in("none/none"), in("file/none"), in("link")}) {
    EXPECT_FALSE(is_there(missing)) << missing;
  }
}

// A name that is too long, and a link that leads to itself: nothing says that they are missing.
TEST_F(PathStatus, WhatTheSystemCannotLookAtIsAnError) {
  const fs::path too_long = in(std::string(300, 'a'));
  EXPECT_EQ(thrown_message(ErrorKind::input, [&] { (void)is_there(too_long); }),
            "cannot use '" + too_long.string() + "': File name too long");
  fs::create_symlink("circle", in("circle"));
  EXPECT_THAT(thrown_message(ErrorKind::input, [&] { (void)is_folder(in("circle")); }),
              EndsWith("/circle': Too many levels of symbolic links"));
}

TEST_F(PathStatus, FoldersAreMadeWithThoseAbove) {
  make_folders(in("a/b/c"));
  EXPECT_TRUE(is_folder(in("a/b/c")));
  EXPECT_NO_THROW(make_folders(in("a/b/c")));
  EXPECT_NO_THROW(make_folders(in("a/b/d/")));
  fs::create_directory_symlink("a", in("link"));
  EXPECT_NO_THROW(make_folders(in("link/e")));
  EXPECT_TRUE(is_folder(in("a/e")));
}

TEST_F(PathStatus, AFolderThatCannotBeMadeSaysWhy) {
  write_file_atomically(in("file"), "x");
  const auto error_of = [](const fs::path& folder) {
    return thrown_message(ErrorKind::system, [&] { make_folders(folder); });
  };
  EXPECT_EQ(error_of(in("file")),
            "cannot make the folder '" + in("file").string() + "': a file has that name");
  EXPECT_THAT(error_of(in("file/a")), EndsWith("/file/a': Not a directory"));
  EXPECT_THAT(error_of("/proc/a/b"), EndsWith("'/proc/a': No such file or directory"));
}

}  // namespace
}  // namespace rooflab
