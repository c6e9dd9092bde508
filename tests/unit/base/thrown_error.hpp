#pragma once

#include <gtest/gtest.h>

#include <string>

#include "rooflab/base/error.hpp"

namespace rooflab {

/// The Error that `action` throws; a failure of the test when it throws none.
template <class Action>
Error thrown_error(Action action) {
  try {
    (void)action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error(ErrorKind::usage, "no error was thrown");
}

/// The error of that kind that the action throws.
template <class Action>
Error thrown_error(ErrorKind kind, Action action) {
  Error error = thrown_error(action);
  EXPECT_EQ(error.kind(), kind);
  return error;
}

/// Its message alone.
template <class Action>
std::string thrown_message(ErrorKind kind, Action action) {
  return thrown_error(kind, action).what();
}

}  // namespace rooflab
