#pragma once

#include <optional>
#include <string_view>

#include "rooflab/base/error.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::study {

/// Finds the device of a word; nullopt: a processor, a device of this machine (`cuda:0`), or one
/// without a device file.
[[nodiscard]] inline std::optional<device::Device> known_device(const device::Catalog& catalog,
                                                                std::string_view word) {
  if (word.empty()) return std::nullopt;
  try {
    return catalog.find(word);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace rooflab::study
