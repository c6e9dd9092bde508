#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "file_bytes.hpp"
#include "model_view.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {

/// The data of a file's tensors, wherever and however the file keeps it.
class TensorData {
 public:
  /// `file` is absolute and decides where external data is looked for; empty for bytes in memory.
  TensorData(const Source& source, std::filesystem::path file)
      : source_(source), file_(std::move(file)) {}

  /// Where the dense bytes of a tensor of this type lie; nullopt when they lie nowhere as such.
  /// Throws Error (input) for data of another length than the type needs, and for external data
  /// that is missing, too short or outside the model's folder.
  [[nodiscard]] std::optional<ValuePlace> place(const TensorView& tensor,
                                                const graph::TensorType& type);

  /// The dense bytes themselves, decoded where they are coded; nullopt when they cannot be had.
  /// Throws as place().
  [[nodiscard]] std::optional<std::string> bytes(const TensorView& tensor,
                                                 const graph::TensorType& type);

  /// Why neither is there: `it is stored as a sparse tensor`.
  [[nodiscard]] std::string reason(const TensorView& tensor, const graph::TensorType& type) const;

 private:
  /// Plain data inside the model's own file; an empty view when it is coded, external or absent.
  [[nodiscard]] StoredBytes plain(const TensorView& tensor, const graph::TensorType& type) const;
  [[nodiscard]] ValuePlace external_place(const TensorView& tensor, const graph::TensorType& type);

  const Source& source_;
  std::filesystem::path file_;
  std::map<std::filesystem::path, std::int64_t> sizes_;                ///< sizes of external files
  std::map<std::filesystem::path, std::unique_ptr<FileBytes>> files_;  ///< external ones
};

}  // namespace rooflab::onnx
