#pragma once

#include <optional>

#include "assembly.hpp"
#include "rooflab/describe/note.hpp"

namespace rooflab::onnx {

/// Note with the evidence that an exporter folded batch norms into convolutions, which cannot be
/// undone; nullopt: no evidence. For files of PyTorch's exporters, after the clean-up and before
/// names are assigned.
[[nodiscard]] std::optional<Note> note_folded_norms(const Assembly& assembly);

}  // namespace rooflab::onnx
