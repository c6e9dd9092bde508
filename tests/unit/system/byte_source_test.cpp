#include "system/byte_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "../base/thrown_error.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab {
namespace {

TEST(ByteSource, AFileAndATextAreTheSame) {
  const TemporaryFolder folder("bytes");
  const std::string content = std::string("a\0b\r\n\xff", 6) + std::string(300'000, 'x');
  write_file_atomically(folder.file("x"), content);
  ByteSource file(folder.file("x"), "log");
  ByteSource text(content);
  for (ByteSource* const source : {&file, &text}) {
    EXPECT_EQ(source->expected(), content.size());
    EXPECT_EQ(source->take(3), content.substr(0, 3));
    EXPECT_DOUBLE_EQ(source->done(), 3.0 / static_cast<double>(content.size()));
    EXPECT_EQ(source->take(content.size()), content.substr(3));
    EXPECT_EQ(source->take(1), "");
    EXPECT_DOUBLE_EQ(source->done(), 1.0);
    source->rewind();
    EXPECT_EQ(source->take(2), content.substr(0, 2));
  }
  EXPECT_EQ(file.size(), std::nullopt);
  EXPECT_EQ(text.size(), content.size());
}

// The system says 0 for the size of such a file.
TEST(ByteSource, AFileOfProcIsReadToItsEnd) {
  ByteSource source("/proc/self/status", {});
  EXPECT_EQ(source.expected(), 0U);
  EXPECT_THAT(source.take(1U << 20U), testing::HasSubstr("CapEff:"));
}

// No page lies at address 0, so that the system answers EIO.
TEST(ByteSource, AReadErrorIsAnError) {
  const Error error =
      thrown_error(ErrorKind::input, [] { return ByteSource("/proc/self/mem", "log").take(100); });
  EXPECT_EQ(error.full_message(), "/proc/self/mem: cannot read the log: Input/output error");
}

}  // namespace
}  // namespace rooflab
