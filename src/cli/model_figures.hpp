#pragma once

#include <cstdint>
#include <span>

namespace rooflab::cli {

/// A built-in network as published, at batch 1.
struct ModelFigures {
  std::int64_t parameters = 0;
  std::int64_t macs = 0;  ///< multiply-accumulates of the forward pass
};

/// Figures in the order of zoo::models(). Written by tools/compile_model_figures.cpp.
[[nodiscard]] std::span<const ModelFigures> model_figures();

}  // namespace rooflab::cli
