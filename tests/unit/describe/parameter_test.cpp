#include "rooflab/describe/parameter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe/parameter_list.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

enum class Meal { breakfast, brunch, dinner };
constexpr auto names_in_order(For<Meal>) {
  return names_through<Meal::dinner>("breakfast", "brunch", "dinner");
}

/// A value with its own form.
struct Goal {
  double accuracy = 0.0;
  static Goal from_word(std::string_view word, const Parameter& parameter) {
    if (!word.starts_with("accuracy=")) parameter.refuse("accuracy=X", word);
    return {ValueText<double>::read(word.substr(9), parameter)};
  }
  [[nodiscard]] std::string word() const {
    return "accuracy=" + ValueText<double>::write(accuracy);
  }
};

struct Table {
  std::string cloth;
  std::vector<std::int64_t> chairs;
};
const Parameters& parameters_of(For<Table>) {
  static const Parameters all = {parameter<&Table::cloth>("COLOUR", ""),
                                 parameter<&Table::chairs>("N,...", "", {.example = "4"})};
  return all;
}

struct Order {
  std::vector<std::string> dishes;
  std::vector<Meal> meal = {Meal::dinner};
  std::int64_t guest_count = 2;
  int patience = 5;
  std::uint64_t seed = 0;
  double tip = 0.1;
  std::optional<double> budget;
  std::optional<Goal> until;
  std::string pay = "cash";
  std::vector<std::string> remark;
  bool to_go = false;
  Table table;
};
const Parameters& parameters_of(For<Order>) {
  static const Parameters all = {
      parameter<&Order::dishes>(
          "DISH...", "", {.positional = true, .required = true, .completes = Completion::model}),
      parameter<&Order::meal>("M,...", ""),
      parameter<&Order::guest_count>("N", "", {.example = "3"}),
      parameter<&Order::patience>("N", "", {.example = "3", .most = 1e12}),
      parameter<&Order::seed>("N", "", {.example = "1", .least = 0}),
      parameter<&Order::tip>("X", "", {.example = "0.2", .least = 0, .most = 1}),
      parameter<&Order::budget>("X", "", {.example = "30"}),
      parameter<&Order::until>("GOAL", "", {.example = "accuracy=0.9"}),
      parameter<&Order::pay>("HOW", "", {.words = {"cash", "card"}}),
      parameter<&Order::remark>("TEXT", "", {.whole_words = true}),
      parameter<&Order::to_go>(""),
      part<&Order::table>(parameters_of(For<Table>{}).with<&Table::chairs>([](Parameter& each) {
        each.single = true;
      })),
  };
  return all;
}

Order read(GivenWords given) {
  given.try_emplace("dishes", std::vector<std::string>{"soup"});
  Order order;
  parameters_of(For<Order>{}).read(&order, given, "order -h");
  return order;
}

/// `message (hint)` of reading this word.
std::string error_of(const std::string& key, const std::string& word) {
  try {
    (void)read({{key, {word}}});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return std::string(error.what()) + " (" + error.hint() + ")";
  }
  return "";
}

TEST(Parameter, ReadsEveryTypeOfValue) {
  const Order order = read({{"dishes", {"soup,salad", "cake"}},
                            {"meal", {"brunch,breakfast"}},
                            {"guest_count", {"12"}},
                            {"patience", {"2147483647"}},
                            {"seed", {"0"}},
                            {"tip", {"0"}},
                            {"budget", {"12.5"}},
                            {"until", {"accuracy=0.92"}},
                            {"pay", {"card"}},
                            {"remark", {"a, b", "c"}},
                            {"to_go", {}},
                            {"chairs", {"4"}}});
  EXPECT_THAT(order.dishes, ElementsAre("soup", "salad", "cake"));
  EXPECT_THAT(order.meal, ElementsAre(Meal::brunch, Meal::breakfast));
  EXPECT_EQ(order.guest_count, 12);
  EXPECT_EQ(order.patience, 2147483647);  // the largest of 32 bits
  EXPECT_EQ(order.seed, 0U);
  EXPECT_EQ(order.tip, 0.0);
  EXPECT_EQ(order.budget, 12.5);
  EXPECT_EQ(order.until->accuracy, 0.92);
  EXPECT_EQ(order.pay, "card");
  EXPECT_THAT(order.remark, ElementsAre("a, b", "c"));
  EXPECT_TRUE(order.to_go);
  EXPECT_THAT(order.table.chairs, ElementsAre(4));
}

TEST(Parameter, LeavesDefaultsWhereNothingWasGiven) {
  const Order order = read({});
  EXPECT_THAT(order.meal, ElementsAre(Meal::dinner));
  EXPECT_EQ(order.guest_count, 2);
  EXPECT_FALSE(order.budget);
}

TEST(Parameter, TakesTheBeginningOfOneName) {
  EXPECT_THAT(read({{"meal", {"din"}}}).meal, ElementsAre(Meal::dinner));
  EXPECT_EQ(error_of("meal", "br"), "unknown --meal value 'br' (one of breakfast, brunch, dinner)");
}

TEST(Parameter, RefusesAWrongValueByItsFlag) {
  EXPECT_EQ(
      error_of("guest_count", "0"),
      "--guest-count takes a whole number of 1 or more, not '0' (for example --guest-count 3)");
  EXPECT_EQ(error_of("guest_count", "99999999999999999999"),
            "--guest-count: '99999999999999999999' exceeds the 64-bit range"
            " (for example --guest-count 3)");
  EXPECT_EQ(error_of("patience", "2147483648"),
            "--patience: '2147483648' exceeds the 32-bit range (for example --patience 3)");
  EXPECT_EQ(error_of("seed", "-1"),
            "--seed takes a whole number of 0 or more, not '-1' (for example --seed 1)");
  EXPECT_EQ(error_of("tip", "1.5"),
            "--tip takes a number from 0 to 1, not '1.5' (for example --tip 0.2)");
  EXPECT_EQ(error_of("budget", "0"),
            "--budget takes a number above 0, not '0' (for example --budget 30)");
  EXPECT_EQ(error_of("until", "loss=1"),
            "--until takes accuracy=X, not 'loss=1' (for example --until accuracy=0.9)");
  EXPECT_EQ(error_of("pay", "cart"),
            "unknown --pay value 'cart' (did you mean 'card'? (one of cash,"
            " card))");
  EXPECT_EQ(error_of("chairs", "4,6"),
            "--chairs takes one value here, not 4,6 (for example --chairs 4)");
  EXPECT_EQ(error_of("dishes", "soup,"), "DISH... 'soup,': an empty name after the comma ()");
}

TEST(Parameter, RefusesAMissingOne) {
  Order order;
  try {
    parameters_of(For<Order>{}).read(&order, {}, "order -h");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "DISH... is missing");
    EXPECT_EQ(error.hint(), "order -h");
  }
}

TEST(Parameter, WritesWhatDiffersFromTheDefault) {
  EXPECT_THAT(words_of(Order{}), IsEmpty());
  const Order order = read({{"dishes", {"soup", "cake"}},
                            {"guest_count", {"2"}},  // as by default
                            {"meal", {"brunch,dinner"}},
                            {"remark", {"hot, please", "soon"}},
                            {"to_go", {}},
                            {"until", {"accuracy=0.5"}},
                            {"cloth", {"white"}}});
  EXPECT_THAT(words_of(order), ElementsAre("soup", "cake", "--meal", "brunch,dinner", "--until",
                                           "accuracy=0.5", "--remark", "hot, please", "--remark",
                                           "soon", "--to-go", "--cloth", "white"));
}

TEST(Parameter, GoesThroughJson) {
  const Order order = read({{"dishes", {"soup", "cake"}},
                            {"guest_count", {"12"}},
                            {"tip", {"0.25"}},
                            {"remark", {"hot, please"}},
                            {"to_go", {}},
                            {"chairs", {"4"}}});
  const Parameters& table = parameters_of(For<Order>{});
  const Json json = table.to_json(&order);
  EXPECT_EQ(json.dump(),
            R"({"dishes":["soup","cake"],"meal":["dinner"],"guest_count":12,"patience":5,"seed":0,)"
            R"("tip":0.25,"pay":"cash","remark":["hot, please"],"to_go":true,"chairs":[4]})");
  Order again;
  table.read(&again, table.words_of(json, "request.json"));
  EXPECT_EQ(words_of(again), words_of(order));
  EXPECT_THROW((void)table.words_of(Json{{"gest_count", 1}}, "request.json"), Error);
}

TEST(Parameter, NamesItsFlagByItsMember) {
  EXPECT_EQ(flag_of<&Order::guest_count>(), "--guest-count");
  EXPECT_EQ(flag_of<&Order::dishes>(), "DISH...");
  EXPECT_EQ(flag_of<&Table::cloth>(), "--cloth");
  EXPECT_THAT(parameter_of<&Order::meal>().offered(), ElementsAre("breakfast", "brunch", "dinner"));
}

TEST(Parameter, IsLeftOutOfATable) {
  const Parameters rest = parameters_of(For<Order>{}).without<&Order::meal>();
  EXPECT_EQ(rest.find("meal"), nullptr);
  EXPECT_NE(rest.find("tip"), nullptr);
}

}  // namespace
}  // namespace rooflab
