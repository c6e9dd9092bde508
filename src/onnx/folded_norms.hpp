#pragma once

#include <optional>

#include "assembly.hpp"
#include "rooflab/base/note.hpp"

namespace rooflab::onnx {

/// What shows that an exporter folded batch norms into convolutions, which cannot be undone;
/// nullopt where nothing shows it. For files of PyTorch's exporters, after the clean-up, before
/// names are assigned.
[[nodiscard]] std::optional<Note> note_folded_norms(const Assembly& assembly);

}  // namespace rooflab::onnx
