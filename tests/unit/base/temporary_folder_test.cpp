#include "base/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, VanishesWithWhatIsInIt) {
  fs::path path;
  {
    const TemporaryFolder folder("test");
    path = folder.path();
    EXPECT_TRUE(path.filename().string().starts_with("rooflab-test-"));
    write_file_atomically(folder.file("a.txt"), "text");
    EXPECT_TRUE(fs::exists(path / "a.txt"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, StaysWhenKept) {
  fs::path path;
  {
    TemporaryFolder folder("test");
    folder.keep();
    path = folder.path();
  }
  EXPECT_TRUE(fs::is_directory(path));
  fs::remove_all(path);
}

TEST(TemporaryFolder, TwoAreNotOne) {
  EXPECT_NE(TemporaryFolder("test").path(), TemporaryFolder("test").path());
}

}  // namespace
}  // namespace rooflab
