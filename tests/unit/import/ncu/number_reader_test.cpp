#include "import/ncu/number_reader.hpp"

#include <gtest/gtest.h>

namespace rooflab::import::ncu {
namespace {

double value_of(std::string_view text, Notation notation = Notation::english) {
  const Reading reading = NumberReader(notation).read(text);
  EXPECT_EQ(reading.kind, Reading::Kind::number) << text;
  return reading.value;
}

Reading::Kind kind_of(std::string_view text, Notation notation = Notation::english) {
  return NumberReader(notation).read(text).kind;
}

TEST(NumberReader, ReadsEnglishNumbers) {
  EXPECT_EQ(value_of("0"), 0.0);
  EXPECT_EQ(value_of("1,234"), 1234.0);
  EXPECT_EQ(value_of("2,000,000,000"), 2e9);
  EXPECT_EQ(value_of("3,190,551,181.10"), 3190551181.10);
  EXPECT_EQ(value_of("26.67"), 26.67);
  EXPECT_EQ(value_of("1.5e+06"), 1.5e6);
  EXPECT_EQ(value_of("-1,234"), -1234.0);
  EXPECT_EQ(value_of("+7"), 7.0);
  EXPECT_EQ(value_of(" 12 "), 12.0);
  EXPECT_EQ(value_of("12,34,567"), 1234567.0);  // India
  EXPECT_EQ(value_of("12345678901234567890"), 12345678901234567890.0);
}

TEST(NumberReader, ReadsEuropeanNumbers) {
  EXPECT_EQ(value_of("1.234", Notation::european), 1234.0);
  EXPECT_EQ(value_of("1.234,5", Notation::european), 1234.5);
  EXPECT_EQ(value_of("1.234.567", Notation::european), 1234567.0);
  EXPECT_EQ(value_of("26,67", Notation::european), 26.67);
  EXPECT_EQ(value_of("1 234,5", Notation::european), 1234.5);
}

TEST(NumberReader, ReadsDigitsGroupedBySpacesAndApostrophes) {
  EXPECT_EQ(value_of("1 234 567"), 1234567.0);
  EXPECT_EQ(value_of("1\u00a0234\u00a0567.5"), 1234567.5);
  EXPECT_EQ(value_of("1\u202f234"), 1234.0);
  EXPECT_EQ(value_of("1'234.5"), 1234.5);
}

TEST(NumberReader, TakesTheSumOfInstancedValues) {
  EXPECT_EQ(value_of("123 (1; 2; 120)"), 123.0);
  EXPECT_EQ(value_of("1,234 (1,000; 234)"), 1234.0);
}

TEST(NumberReader, TellsWhatWasNotCollected) {
  for (const char* text : {"", " ", "n/a", "N/A", "(!) n/a", "nan", "-nan", "inf", "no data"}) {
    EXPECT_EQ(kind_of(text), Reading::Kind::absent) << text;
  }
  EXPECT_EQ(kind_of("(!) 12"), Reading::Kind::doubtful);
}

TEST(NumberReader, RefusesWhatIsNoNumber) {
  for (const char* text : {"True", "PolicySpread", "0x10", "1,2,3", "1,23", "1,2345", "1..2",
                           "1.2.3", ",123", "12 kB", "1e400", "--1", "1-2", ".", ",", "-", "e5"}) {
    const Reading::Kind kind = kind_of(text);
    EXPECT_NE(kind, Reading::Kind::number) << text;
  }
  EXPECT_EQ(kind_of("26.67", Notation::european), Reading::Kind::unreadable);
  EXPECT_EQ(kind_of(std::string(1000, '1')), Reading::Kind::unreadable);
}

// 1.234 ns and 2.500 bytes have fractions that such counts do not have: the points group digits.
TEST(NumberReader, AFractionOfACountIsEvidence) {
  NumberReader english(Notation::english);
  (void)english.read("1.234", true);
  EXPECT_TRUE(english.contradicted());
  NumberReader european(Notation::european);
  EXPECT_EQ(european.read("1.234", true).value, 1234.0);
  NumberReader commas(Notation::english);
  EXPECT_EQ(commas.read("1,234", true).value, 1234.0);
  EXPECT_FALSE(commas.contradicted());
  EXPECT_EQ(commas.ambiguous(), 0);
  NumberReader unknown(Notation::english);  // a mean, or scaled
  (void)unknown.read("1.234");
  EXPECT_FALSE(unknown.contradicted());
  EXPECT_EQ(unknown.ambiguous(), 1);
}

TEST(NumberReader, DecidesByTheMajority) {
  NumberReader reader(Notation::english);
  (void)reader.read("1,234");
  EXPECT_TRUE(reader.undecided());
  EXPECT_EQ(reader.ambiguous(), 1);
  EXPECT_EQ(reader.first_ambiguous(), "1,234");
  reader.observe("26,67");
  EXPECT_TRUE(reader.contradicted());
  reader.observe("1,234,567");
  EXPECT_FALSE(reader.contradicted());
  EXPECT_TRUE(reader.mixed());
}

TEST(NumberReader, KnowsWhichNumbersTellTheNotation) {
  for (const char* english : {"26.67", "0.123", "1,234.5", "1,234,567", "1365.330", "1 234.567"}) {
    NumberReader reader(Notation::english);
    reader.observe(english);
    reader.observe("26,67");
    EXPECT_FALSE(reader.contradicted()) << english;  // one against one
  }
  for (const char* european : {"26,67", "0,123", "1.234,5", "1.234.567", "1365,330", "1 234,567"}) {
    NumberReader reader(Notation::english);
    reader.observe(european);
    EXPECT_TRUE(reader.contradicted()) << european;
  }
  for (const char* neither : {"12", "1,234", "1.234", "127.0.0.1x", "abc", "1 234", "n/a"}) {
    NumberReader reader(Notation::english);
    reader.observe(neither);
    EXPECT_TRUE(reader.undecided()) << neither;
  }
}

}  // namespace
}  // namespace rooflab::import::ncu
