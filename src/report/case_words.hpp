#pragma once

#include <cstdint>
#include <string>

#include "base/format.hpp"
#include "rooflab/base/enum_names.hpp"

namespace rooflab::report {

/// Size of a case: `batch 8`, with a known context `batch 8, context 512`.
template <class Case>
[[nodiscard]] std::string size_text_of(const Case& of) {
  if constexpr (requires { of.size_text(); }) {
    return of.size_text();
  } else {
    const std::int64_t batch = of.batch;
    return format("batch {}", batch);
  }
}

/// Work of a case: `batch 8, training, tf32`, and the worker of others that ran it.
template <class Case>
[[nodiscard]] std::string work_of(const Case& of) {
  std::string text =
      format("{}, {}, {}", size_text_of(of), name_of(of.phase), name_of(of.precision));
  if constexpr (requires { of.other_worker(); }) {
    if (const std::string worker = of.other_worker(); !worker.empty()) text += ", " + worker;
  }
  return text;
}

/// `alexnet, batch 8, training, tf32`: a result, or what it was asked for.
template <class Case>
[[nodiscard]] std::string setting_of(const Case& of) {
  return format("{}, {}", of.model, work_of(of));
}

}  // namespace rooflab::report
