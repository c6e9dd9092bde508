#include "trace/lone_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab::trace {
namespace {

using testing::ElementsAre;

LoneWork::Kinds kinds_of(std::initializer_list<LoneKind> kinds) {
  LoneWork::Kinds result;
  for (const LoneKind kind : kinds) result[static_cast<std::size_t>(kind)] = true;
  return result;
}

// Two short kernels overlap each other from 5 to 10 and a long one from 12 on: alone from 0 to 12.
TEST(LoneWork, IsWhatOneKindFillsAlone) {
  LoneWork work;
  work.add(0, {0, 10}, kinds_of({LoneKind::short_kernel}));
  work.add(0, {5, 15}, kinds_of({LoneKind::short_kernel, LoneKind::conversion}));
  work.add(0, {12, 40}, {});
  EXPECT_THAT(work.alone_ns(), ElementsAre(12.0, 2.0, 0.0, 0.0, 0.0));
}

// What another device does hides nothing of this one's, however little it does.
TEST(LoneWork, DevicesAreTakenByThemselves) {
  LoneWork work;
  work.add(0, {0, 10}, kinds_of({LoneKind::recomputed}));
  work.add(1, {0, 10}, {});
  EXPECT_THAT(work.alone_ns(), ElementsAre(0.0, 0.0, 0.0, 10.0, 0.0));
  EXPECT_THAT(LoneWork().alone_ns(), ElementsAre(0.0, 0.0, 0.0, 0.0, 0.0));
}

}  // namespace
}  // namespace rooflab::trace
