#pragma once

#include <string_view>

namespace rooflab::device {

/// A unit that a file may use. Base units are N * times / over: microseconds are exact only as a
/// quotient.
struct Unit {
  std::string_view symbol;
  double times = 1.0;
  double over = 1.0;
};

}  // namespace rooflab::device
