#include "system/line_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "../base/full_disk.hpp"
#include "../base/thrown_error.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab {
namespace {

class LineFileTest : public testing::Test {
 protected:
  TemporaryFolder folder_{"line-file-test"};
  std::filesystem::path file_ = folder_.file("x");
};

TEST_F(LineFileTest, GrowsByWholeLines) {
  const LineFile lines(file_);
  EXPECT_EQ(read_file(file_), "");
  lines.append("a");
  lines.append("b");
  EXPECT_EQ(read_file(file_), "a\nb\n");
  LineFile(file_).append("c");
  EXPECT_EQ(read_file(file_), "a\nb\nc\n");
}

TEST_F(LineFileTest, CutsALineWithoutItsEnd) {
  const std::string longer(10'000, 'x');  // than a piece that is looked at
  for (const std::string& whole : {std::string(), std::string("a\n"), longer + "\n"}) {
    for (const std::string& half : {std::string("b"), longer}) {
      write_file_atomically(file_, whole + half);
      LineFile(file_).append("c");
      EXPECT_EQ(read_file(file_), whole + "c\n");
    }
  }
}

TEST_F(LineFileTest, AFullDiskLeavesNoHalfLine) {
  const LineFile lines(file_);
  lines.append("0123456789");
  {
    const FullDisk full(15);
    EXPECT_EQ(thrown_message(ErrorKind::system, [&] { lines.append("0123456789"); }),
              "cannot write '" + file_.string() + "': File too large");
  }
  EXPECT_EQ(read_file(file_), "0123456789\n");
}

TEST_F(LineFileTest, ThatCannotBeMadeIsAnError) {
  const std::filesystem::path file = folder_.file("none") / "x";
  EXPECT_EQ(thrown_message(ErrorKind::system, [&] { return LineFile(file); }),
            "cannot write '" + file.string() + "': No such file or directory");
}

}  // namespace
}  // namespace rooflab
