#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/thrown_error.hpp"
#include "describe/parameter_list.hpp"

namespace rooflab {
namespace {

enum class Deed { look, paint };
constexpr auto names_in_order(For<Deed>) { return names_through<Deed::paint>("look", "paint"); }

struct Easel {
  std::int64_t legs = 3;
};
const Parameters& parameters_of(For<Easel>) {
  static const Parameters all = {parameter<&Easel::legs>("N", "")};
  return all;
}

struct Picture {
  Deed deed = Deed::look;
  std::string colour;
  bool oil = false;
  std::int64_t drying_days = 7;
  std::string from;
  std::string frame;
  Easel easel;
};
const Parameters& parameters_of(For<Picture>) {
  static const Parameters all = {
      parameter<&Picture::deed>("DEED", "", {.positional = true}),
      parameter<&Picture::colour>("C", "", {.needs = {{key_of<&Picture::deed>(), {"paint"}}}}),
      parameter<&Picture::oil>(""),
      parameter<&Picture::drying_days>(
          "N", "",
          {.needs = {{key_of<&Picture::oil>()}, {key_of<&Picture::from>(), {"life", "nature"}}}}),
      parameter<&Picture::from>("WHAT", ""),
      parameter<&Picture::frame>("F", "", {.beside = {{key_of<&Picture::from>()}}}),
      needing({key_of<&Picture::oil>()}, part<&Picture::easel>()),
  };
  return all;
}

/// The request in a line of a command that has its own flag.
struct Line {
  Picture picture;
  bool loudly = false;
};
const Parameters& parameters_of(For<Line>) {
  static const Parameters all = {part<&Line::picture>(), parameter<&Line::loudly>("")};
  return all;
}

void read_line(const GivenWords& given) {
  Line line;
  parameters_of(For<Line>{}).read(&line, given);
}

std::string error_of_line(const GivenWords& given) {
  return thrown_message(ErrorKind::usage, [&] {
    read_line(given);
    return 0;
  });
}

TEST(ParameterParts, AFlagNeedsWhatGivesItAPart) {
  EXPECT_EQ(error_of_line({{"legs", {"4"}}}), "--legs needs --oil");
  EXPECT_EQ(error_of_line({{"drying_days", {"4"}}}),
            "--drying-days needs --oil or --from life or nature");
  EXPECT_EQ(error_of_line({{"drying_days", {"4"}}, {"from", {"memory"}}}),
            "--drying-days needs --oil or --from life or nature");
  read_line({{"legs", {"4"}}, {"oil", {}}});
  read_line({{"drying_days", {"4"}}, {"oil", {}}});
  read_line({{"drying_days", {"4"}}, {"from", {"nature"}}});
}

TEST(ParameterParts, ADefaultOrASwitchThatIsOffIsNotGiven) {
  EXPECT_EQ(error_of_line({{"legs", {"4"}}, {"oil", {"false"}}}), "--legs needs --oil");
  EXPECT_EQ(error_of_line({{"colour", {"red"}}}), "--colour needs paint");
  EXPECT_EQ(error_of_line({{"colour", {"red"}}, {"deed", {"look"}}}), "--colour needs paint");
  read_line({{"colour", {"red"}}, {"deed", {"pai"}}});  // names may be shortened
}

TEST(ParameterParts, AValueIsLookedAtBeforeThePart) {
  EXPECT_EQ(error_of_line({{"legs", {"many"}}}),
            "--legs takes a whole number of 1 or more, not 'many'");
}

TEST(ParameterParts, BesideSomeFlagsOnlySomeOthersOfTheRequestHaveAPart) {
  EXPECT_EQ(error_of_line({{"frame", {"gold"}}, {"oil", {}}}), "--frame takes no --oil");
  EXPECT_EQ(error_of_line({{"frame", {"gold"}}, {"deed", {"look"}}}), "--frame takes no DEED");
  read_line({{"frame", {"gold"}}, {"from", {"life"}}, {"loudly", {}}});
}

}  // namespace
}  // namespace rooflab
