#include "outcome.hpp"

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "rooflab/base/error.hpp"

namespace rooflab::torch_worker {
namespace {

record::Record outcome_of(void (*work)()) {
  record::Record record;
  run_to_outcome(record, work, [] { return std::nullopt; });
  return record;
}

TEST(Outcome, AnExceptionThatNobodyExpectedIsTheOutcomeOfItsCase) {
  const record::Record logic = outcome_of([] { throw std::logic_error("no way"); });
  EXPECT_EQ(logic.status, record::Status::failed);
  EXPECT_EQ(logic.message, "this is a fault of Rooflab: no way (std::logic_error)");
  EXPECT_EQ(outcome_of([] { throw 7; }).message, "this is a fault of Rooflab: int was thrown");
}

TEST(Outcome, WhatIsExpectedIsNoFault) {
  EXPECT_EQ(outcome_of([] {}).status, record::Status::ok);
  EXPECT_EQ(outcome_of([] { throw std::bad_alloc(); }).status, record::Status::oom);
  EXPECT_EQ(outcome_of([] { throw Error(ErrorKind::input, "no image"); }).message, "no image");
  EXPECT_EQ(outcome_of([] { TORCH_CHECK(false, "a kernel is not implemented for you"); }).status,
            record::Status::unsupported);
}

}  // namespace
}  // namespace rooflab::torch_worker
