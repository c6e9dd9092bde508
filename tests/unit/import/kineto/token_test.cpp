#include "import/kineto/token.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rooflab::import::kineto {
namespace {

std::string decoded(std::string_view token) {
  std::string scratch;
  return std::string(text_of(token, scratch));
}

TEST(Token, MicrosecondsBecomeNanosecondsDigitByDigit) {
  // As a double this is 4396074161514.79296875: the digits are what counts.
  EXPECT_EQ(nanoseconds_of("4396074161514.793"), 4396074161514793);
  EXPECT_EQ(nanoseconds_of("1623143089861759"), 1623143089861759000);
  EXPECT_EQ(nanoseconds_of("1623143089861759.123"), 1623143089861759123);
  EXPECT_EQ(nanoseconds_of("0"), 0);
  EXPECT_EQ(nanoseconds_of("77.23"), 77230);
  EXPECT_EQ(nanoseconds_of("-1.5"), -1500);
  EXPECT_EQ(nanoseconds_of("\"12.5\""), 12500);
}

TEST(Token, FurtherDigitsAreRounded) {
  EXPECT_EQ(nanoseconds_of("1.0004"), 1000);
  EXPECT_EQ(nanoseconds_of("1.0005"), 1001);
  EXPECT_EQ(nanoseconds_of("-1.0005"), -1001);
  EXPECT_EQ(nanoseconds_of("0.00049999"), 0);
  EXPECT_EQ(nanoseconds_of("4396074161514.79299999999999999999"), 4396074161514793);
  EXPECT_EQ(nanoseconds_of("0.000000000000000000000000000001"), 0);
}

TEST(Token, ExponentsShift) {
  EXPECT_EQ(nanoseconds_of("1.6e+3"), 1600000);
  EXPECT_EQ(nanoseconds_of("1.5E2"), 150000);
  EXPECT_EQ(nanoseconds_of("2500e-3"), 2500);
  EXPECT_EQ(nanoseconds_of("5e-4"), 1);  // 0.5 ns
  EXPECT_EQ(nanoseconds_of("1e-99999999999"), 0);
  EXPECT_EQ(nanoseconds_of("0e99999999999"), 0);
}

TEST(Token, TimesThatAreNoneAreAbsent) {
  for (const char* token :
       {"", "-", ".", "nan", "NaN", "Infinity", "null", "1.2.3", "12a", "1e", "[1]", "{}", "true",
        "4000000000000001", "1e30", "1e99999999999", "123456789012345678901234567890"}) {
    EXPECT_EQ(nanoseconds_of(token), std::nullopt) << token;
  }
  EXPECT_EQ(nanoseconds_of("4000000000000000"), 4'000'000'000'000'000'000);
}

TEST(Token, IntegersAreWholeAndFit) {
  EXPECT_EQ(integer_of("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer_of("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer_of("340282366920938463463374607431768211456"), std::nullopt);
  EXPECT_EQ(integer_of("-5"), -5);
  EXPECT_EQ(integer_of("\"7\""), 7);
  EXPECT_EQ(integer_of("7.5"), std::nullopt);
  EXPECT_EQ(integer_of(""), std::nullopt);
}

TEST(Token, NumbersMayBeInfinite) {
  EXPECT_EQ(number_of("1.719697"), 1.719697);
  EXPECT_TRUE(std::isinf(number_of("Infinity").value()));
  EXPECT_TRUE(std::isinf(number_of("1e999").value()));
  EXPECT_TRUE(std::isnan(number_of("nan").value()));
  EXPECT_EQ(number_of("many"), std::nullopt);
}

TEST(Token, EscapesAreResolved) {
  EXPECT_EQ(decoded("\"aten::mm\""), "aten::mm");
  EXPECT_EQ(decoded(R"("a\"b\\c\/d\n")"), "a\"b\\c/d\n");
  EXPECT_EQ(decoded(R"("\u00e9\u20ac\uD83D\uDE00")"), "\u00e9\u20ac\U0001F600");
  EXPECT_EQ(decoded(R"("\ud800!")"), "\uFFFD!");  // half a pair
  EXPECT_EQ(decoded(R"("\ud800\u0041")"), "\uFFFDA");
  EXPECT_EQ(decoded(R"("\u12")"), "\\u12");  // no escape
  EXPECT_EQ(decoded(R"("\q\)"), "\"\\q\\");  // no end: as it is
  EXPECT_EQ(decoded("417"), "417");
}

TEST(Token, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(valid_utf8("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(valid_utf8("caf\xe9!"), "caf\uFFFD!");
  EXPECT_EQ(valid_utf8("\xc0\x80"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(valid_utf8("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(valid_utf8("\xf0\x9f"), "\uFFFD\uFFFD");
}

}  // namespace
}  // namespace rooflab::import::kineto
