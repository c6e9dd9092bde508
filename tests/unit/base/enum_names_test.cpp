#include "rooflab/base/enum_names.hpp"

#include <gmock/gmock.h>

#include <set>

#include "rooflab/base/precision.hpp"

namespace rooflab {
namespace elsewhere {

struct Owner {
  enum class Fruit { apple, sour_cherry };
};
constexpr auto names_in_order(For<Owner::Fruit>) {
  return names_through<Owner::Fruit::sour_cherry>("apple", "sour cherry");
}
enum class Nameless { one };

}  // namespace elsewhere

namespace {

using elsewhere::Owner;
using testing::ElementsAre;

static_assert(Named<Owner::Fruit>);
static_assert(!Named<elsewhere::Nameless>);
static_assert(!Named<Owner>);
static_assert(!Named<int>);
static_assert(name_of(Owner::Fruit::sour_cherry) == "sour cherry");

TEST(EnumNames, AreThoseOfTheDeclaration) {
  EXPECT_THAT(names_of<Owner::Fruit>(), ElementsAre("apple", "sour cherry"));
  EXPECT_THAT(values_of<Owner::Fruit>, ElementsAre(Owner::Fruit::apple, Owner::Fruit::sour_cherry));
  EXPECT_EQ(name_of(Owner::Fruit::apple), "apple");
}

TEST(EnumNames, UnknownNamesHaveNoValue) {
  EXPECT_EQ(from_name<Owner::Fruit>("apple"), Owner::Fruit::apple);
  EXPECT_EQ(from_name<Owner::Fruit>("Apple"), std::nullopt);
  EXPECT_EQ(from_name<Owner::Fruit>("sour_cherry"), std::nullopt);
  EXPECT_EQ(from_name<Owner::Fruit>(""), std::nullopt);
}

template <class E>
class EveryEnumeration : public testing::Test {};
using Enumerations = testing::Types<DType, ArithmeticPath, Precision, Phase>;
TYPED_TEST_SUITE(EveryEnumeration, Enumerations);

TYPED_TEST(EveryEnumeration, HasANameOfItsOwnForEachValue) {
  std::set<std::string_view> seen;
  for (const TypeParam value : values_of<TypeParam>) {
    EXPECT_FALSE(name_of(value).empty());
    EXPECT_TRUE(seen.insert(name_of(value)).second) << name_of(value);
    EXPECT_EQ(from_name<TypeParam>(name_of(value)), value);
  }
  EXPECT_EQ(from_name<TypeParam>("nonsense"), std::nullopt);
}

}  // namespace
}  // namespace rooflab
