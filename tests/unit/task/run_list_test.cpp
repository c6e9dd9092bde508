#include "task/run_list.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace rooflab::task {
namespace {

using Runs = RunList<record::Record>;

/// A list whose second run throws.
template <class Thrown>
Runs ended_by(const Thrown& thrown) {
  Runs list;
  list.do_next([&list] { list.runs.emplace_back(); });
  list.do_next([&thrown] { throw thrown; });
  return list;
}

TEST(RunList, KeepsWhatWasDoneBeforeAnyException) {
  const Runs fault = ended_by(std::length_error("vector"));
  EXPECT_EQ(fault.runs.size(), 1U);
  ASSERT_TRUE(fault.failure);
  EXPECT_STREQ(fault.failure->what(), "this is a fault of Rooflab: vector (std::length_error)");
  EXPECT_EQ(fault.failure->hint(), "report it with this line, the version and the command");
  EXPECT_STREQ(ended_by(std::bad_alloc()).failure->what(), "out of memory");
  EXPECT_STREQ(ended_by(7).failure->what(), "this is a fault of Rooflab: int was thrown");
  const Runs error = ended_by(Error(ErrorKind::system, "the disk is full"));
  EXPECT_EQ(error.failure->kind(), ErrorKind::system);
}

TEST(RunList, WithoutAnyRunTheExceptionIsTheCallers) {
  Runs list;
  EXPECT_THROW(list.do_next([] { throw std::length_error("vector"); }), std::length_error);
  EXPECT_FALSE(list.failure);
}

}  // namespace
}  // namespace rooflab::task
