#pragma once

#include <gtest/gtest.h>

#include <string>

#include "rooflab/base/error.hpp"

namespace rooflab {

/// The full message of the Error (input) that `action` throws; `no error` when it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    (void)action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.full_message();
  }
  return "no error";
}

}  // namespace rooflab
