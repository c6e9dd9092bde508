#include "device/compact_archive.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "rooflab/base/error.hpp"

namespace rooflab::device {
namespace {

template <class T>
std::string bytes_of(const T& value) {
  CompactWriter writer;
  writer(value);
  return writer.bytes();
}

template <class T>
T value_of(std::string_view bytes) {
  T value{};
  CompactReader reader(bytes);
  reader(value);
  EXPECT_TRUE(reader.at_end());
  return value;
}

std::string text_of(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text += static_cast<char>(byte);
  return text;
}

// By the rules at the head of compact_archive.hpp, worked out by hand.
TEST(CompactArchive, WritesTheBytesOfItsLayout) {
  EXPECT_EQ(bytes_of(true), text_of({1}));
  EXPECT_EQ(bytes_of(std::uint64_t{300}), text_of({0xac, 0x02}));  // 300 = 2 * 128 + 44
  EXPECT_EQ(bytes_of(-1), text_of({1}));
  EXPECT_EQ(bytes_of(std::int64_t{63}), text_of({126}));
  EXPECT_EQ(bytes_of(63.0), text_of({126}));
  EXPECT_EQ(bytes_of(0.5), text_of({0xc3, 0x02}));  // 5 << 6 | 1 << 1 | 1 = 323
  EXPECT_EQ(bytes_of(-0.5), text_of({63, 0, 0, 0, 0, 0, 0, 0xe0, 0xbf}));
  EXPECT_EQ(bytes_of(std::string("ab")), "\2ab");
  EXPECT_EQ(bytes_of(std::optional<double>()), text_of({0}));
  EXPECT_EQ(bytes_of(std::optional<double>(2.0)), text_of({1, 4}));
  EXPECT_EQ(bytes_of(std::vector<double>{1.0, 2.0}), text_of({2, 2, 4}));
  EXPECT_EQ(bytes_of(std::map<std::string, bool>{{"a", true}}), text_of({1, 1, 'a', 1}));
}

TEST(CompactArchive, EveryDoubleComesBackBitByBit) {
  using Limits = std::numeric_limits<double>;
  std::vector<double> numbers = {0.0,
                                 -0.0,
                                 1.0 / 3.0,
                                 1e-300,
                                 1e300,
                                 9007199254740991.0,
                                 9007199254740992.0,
                                 9007199254740994.0,
                                 Limits::denorm_min(),
                                 Limits::max(),
                                 Limits::infinity(),
                                 Limits::quiet_NaN()};
  // Six significant digits from 1e-9 to below 1e15, as files have them.
  for (int exponent = -9; exponent < 15; ++exponent) {
    for (int digits = 100'003; digits < 1'000'000; digits += 99'991) {
      numbers.push_back(std::stod(std::to_string(digits) + "e" + std::to_string(exponent - 5)));
      EXPECT_LE(bytes_of(numbers.back()).size(), 8U) << numbers.back();
    }
  }
  for (const double number : numbers) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value_of<double>(bytes_of(number))),
              std::bit_cast<std::uint64_t>(number))
        << number;
  }
}

TEST(CompactArchive, EveryIntegerComesBack) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t number :
       {Limits::min(), std::int64_t{-1}, std::int64_t{0}, std::int64_t{64}, Limits::max()}) {
    EXPECT_EQ(value_of<std::int64_t>(bytes_of(number)), number);
  }
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(value_of<std::uint64_t>(bytes_of(largest)), largest);
}

TEST(CompactArchive, RefusesBytesThatNoWriterWrote) {
  const std::string endless(10, '\xff');
  EXPECT_THROW(value_of<std::uint64_t>(""), Error);
  EXPECT_THROW(value_of<std::uint64_t>("\x80"), Error);
  EXPECT_THROW(value_of<std::uint64_t>(endless + "\1"), Error);
  EXPECT_THROW(value_of<bool>("\2"), Error);
  EXPECT_THROW(value_of<int>(bytes_of(std::int64_t{1} << 40)), Error);
  EXPECT_THROW(value_of<double>(text_of({63, 0, 0})), Error);
  EXPECT_THROW(value_of<double>(text_of({23 << 1 | 1})), Error);  // 10^23 is not an exact double
  EXPECT_THROW(value_of<std::string>("\3ab"), Error);
  EXPECT_THROW(value_of<std::vector<double>>("\3\2\2"), Error);
}

}  // namespace
}  // namespace rooflab::device
