#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/describe/note.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::onnx {

/// Choices for what an ONNX file leaves open.
struct ImportOptions {
  /// Extents of symbolic dimensions by name (`batch`, `sequence`); a dimension without a name is
  /// addressed as `input:axis`. A key that the file does not have is an Error (usage).
  std::map<std::string, std::int64_t> dims = {};

  /// Extent of an open dimension 0 of the inputs. A dimension 0 that the file fixes stays as it is:
  /// graph::rebatch changes it.
  std::optional<std::int64_t> batch = {};

  /// Whether to find the data of every parameter, buffer and constant too (ImportResult::places,
  /// `bytes` and `without_values`). External data must then exist.
  bool with_places = false;
};

/// Place of a value's data in a file: dense, little-endian, in the value's own type and C order.
struct ValuePlace {
  std::filesystem::path file = {};  ///< absolute; empty for bytes in memory
  std::int64_t offset = 0;
  friend bool operator==(const ValuePlace&, const ValuePlace&) = default;
};

/// An op without a rule, or with operands of unknown shapes; it becomes a graph::Opaque node.
struct UnknownOp {
  /// `NonZero`; with its domain where that is not the default: `com.acme.Fold`
  std::string op = {};
  std::int64_t count = 0;
};

struct ImportResult {
  graph::Graph graph = {};
  std::vector<Note> notes = {};  ///< what the reader decided or could not know, one sentence each
  std::vector<UnknownOp> unknown = {};  ///< most frequent first; empty for a file read in full
  std::int64_t opset = 0;               ///< version of the default operator set
  std::string producer = {};            ///< `pytorch 2.11.0`; empty when the file does not say

  /// Ops for which the graph computes other numbers than the file at the same cost (a Shrink that
  /// runs as clip), one sentence per kind; empty: none.
  std::vector<Note> value_notes = {};

  /// Parts of a training step that the file leaves out.
  std::vector<Note> training_notes = {};

  // With ImportOptions::with_places every parameter, buffer and constant of the graph, by name, is
  // in exactly one of these three.
  std::map<std::string, ValuePlace> places = {};
  /// Dense little-endian data of values that no file has in this form: computed while importing,
  /// coded as varints, or transposed or cast for the graph's form of a weight.
  std::map<std::string, std::string> bytes = {};
  /// Values whose data cannot be obtained; the reasons are in `notes`.
  std::vector<std::string> without_values = {};
};

/// Reads an ONNX file (opset 7 and later) into a graph, verified, with concrete shapes.
///
/// The weights inside are skipped by their length and not read: time and memory depend on the
/// number of nodes, not on the size of the weights; external data need not exist (unless
/// ImportOptions::with_places asks where it is). Only biases, scales and masks that decide the form
/// of an op are read from external data, if it exists. Functions are inlined, an If with a constant
/// condition becomes its branch, everything that is computed from constants alone is folded away,
/// Identity vanishes. Ops that exporters rewrite become those of eager mode again: a MatMul and the
/// Add of its bias, decomposed attention, activations and layer norms, and zero biases that the
/// exporter added.
///
/// Parameters are the float initialisers of rank 1 or more that a node uses, each once. Running
/// statistics of batch normalisation are buffers.
///
/// Throws Error (input) with the file, the byte where it is known and a hint when the file is not
/// ONNX, damaged, contradicts itself or leaves a dimension open; Error (usage) for a key of `dims`
/// that does not exist. With places also Error (input) for data of another length than its type
/// says, an external file that is missing or too short, or one outside the folder of the model.
///
///     ImportResult net = onnx::read_onnx("bert.onnx", {.dims = {{"sequence", 128}}, .batch = 8});
[[nodiscard]] ImportResult read_onnx(const std::filesystem::path& path,
                                     const ImportOptions& options = {});

/// Reads an ONNX file that is already in memory; `name` names it in messages. Places are offsets
/// into the bytes; external data is not searched. Throws as read_onnx().
[[nodiscard]] ImportResult read_onnx_bytes(std::string_view bytes, const std::string& name,
                                           const ImportOptions& options = {});

/// Whether a file is a regular file whose first fields are those of an ONNX model. Never throws.
[[nodiscard]] bool looks_like_onnx(const std::filesystem::path& path) noexcept;

}  // namespace rooflab::onnx
