#pragma once

#include <functional>

namespace rooflab::import {

struct ImportOptions {
  /// Called now and then with the part of the file that is done, 0 to 1.
  std::function<void(double done)> progress;
};

}  // namespace rooflab::import
