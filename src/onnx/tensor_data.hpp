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

/// Finds the data of a file's tensors in all forms of storage.
class TensorData {
 public:
  /// `file`: absolute path, which decides where external data are searched; empty for bytes in
  /// memory.
  TensorData(const Source& source, std::filesystem::path file)
      : source_(source), file_(std::move(file)) {}

  /// Place of a tensor's dense bytes; nullopt when no file has them in this form. Throws Error
  /// (input) for data of another length than the type needs, and for external data that are
  /// missing, too short or outside the model's folder.
  [[nodiscard]] std::optional<ValuePlace> place(const TensorView& tensor,
                                                const graph::TensorType& type);

  /// The dense bytes of a tensor, decoded if necessary; nullopt when they are not available. Throws
  /// as place().
  [[nodiscard]] std::optional<std::string> bytes(const TensorView& tensor,
                                                 const graph::TensorType& type);

  /// Reason why a tensor has neither place nor bytes: `it is stored as a sparse tensor`.
  [[nodiscard]] std::string reason(const TensorView& tensor, const graph::TensorType& type) const;

 private:
  /// Plain data inside the model's own file; an empty view when they are coded, external or absent.
  [[nodiscard]] StoredBytes plain(const TensorView& tensor, const graph::TensorType& type) const;
  [[nodiscard]] ValuePlace external_place(const TensorView& tensor, const graph::TensorType& type);

  const Source& source_;
  std::filesystem::path file_;
  std::map<std::filesystem::path, std::int64_t> sizes_;                ///< sizes of external files
  std::map<std::filesystem::path, std::unique_ptr<FileBytes>> files_;  ///< external files
};

}  // namespace rooflab::onnx
