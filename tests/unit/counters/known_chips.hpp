#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/counter_access.hpp"
#include "profile/cupti_library.hpp"
#include "profile/metric_config.hpp"

namespace rooflab::counters {

/// Asks CUPTI's host library, which knows all chips and needs no GPU: that of $CUDA_HOME, else of
/// the packages that tools/cuda_place takes from PyPI, else of the usual places. Skips without it.
class KnownChips : public testing::Test {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "CUPTI loads its metrics in a way that AddressSanitizer does not allow";
#endif
    AccessSources sources;
    sources.variable = [of_process = sources.variable](const char* name) {
      const std::optional<std::string> value = of_process(name);
      return !value && std::string_view(name) == "CUDA_HOME" ? ROOFLAB_OWN_CUDA : value;
    };
    std::string why;
    cupti_ = profile::CuptiLibrary::open(counter_access(sources).cupti, why);
    if (cupti_ == nullptr) GTEST_SKIP() << why;
    chips_ = profile::known_chips(*cupti_);
  }

  /// Older CUPTI does not know newer chips, CUDA 13's no longer all of the oldest.
  [[nodiscard]] bool knows(const std::string& chip) const {
    return std::ranges::find(chips_, chip) != chips_.end();
  }

  std::shared_ptr<const profile::CuptiLibrary> cupti_;
  std::vector<std::string> chips_;
};

}  // namespace rooflab::counters
