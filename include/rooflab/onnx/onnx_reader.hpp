#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/note.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::onnx {

/// What the file leaves open.
struct ImportOptions {
  /// Extents of symbolic dimensions by name (`batch`, `sequence`); a dimension without a name is
  /// addressed as `input:axis`. A key that the file does not have is an Error (usage).
  std::map<std::string, std::int64_t> dims = {};

  /// Extent of an open dimension 0 of the inputs. A dimension 0 that the file fixes stays as it is:
  /// graph::rebatch changes it.
  std::optional<std::int64_t> batch = {};

  /// Find the data of every parameter, buffer and constant too (ImportResult::places, `bytes` and
  /// `without_values`). External data must then exist.
  bool with_places = false;
};

/// Where the data of a value lies in a file: dense, little-endian, in the value's own type and C
/// order.
struct ValuePlace {
  std::filesystem::path file;  ///< absolute; empty for bytes in memory
  std::int64_t offset = 0;
  friend bool operator==(const ValuePlace&, const ValuePlace&) = default;
};

/// An op that has no rule here, or whose operands' shapes are not known; it is a graph::Opaque
/// node.
struct UnknownOp {
  std::string op;  ///< `NonZero`; with its domain where that is not the default: `com.acme.Fold`
  std::int64_t count = 0;
};

struct ImportResult {
  graph::Graph graph;
  std::vector<Note> notes;         ///< what the reader decided or could not know, one sentence each
  std::vector<UnknownOp> unknown;  ///< most frequent first; empty for a file read in full
  std::int64_t opset = 0;          ///< version of the default operator set
  std::string producer;            ///< `pytorch 2.11.0`; empty when the file does not say

  /// Where the graph computes other numbers than the file says, although it costs the same: a
  /// Shrink that runs as clip. One sentence a kind; empty when the graph says all that it computes.
  std::vector<Note> value_notes;

  /// What the file leaves out of a training step.
  std::vector<Note> training_notes;

  // With ImportOptions::with_places every parameter, buffer and constant of the graph, by name, is
  // in exactly one of these three.
  std::map<std::string, ValuePlace> places;
  /// Dense little-endian data of what lies in no file as such: computed while importing, coded as
  /// varints, transposed or cast by the graph's form of a weight.
  std::map<std::string, std::string> bytes;
  /// Values whose data cannot be had; the reasons are in `notes`.
  std::vector<std::string> without_values;
};

/// Reads an ONNX file (opset 7 and later) into a graph, verified, with concrete shapes.
///
/// The weights inside are stepped over by their length and not read: time and memory depend on the
/// number of nodes, not on the size of the weights; external data need not exist (unless
/// ImportOptions::with_places asks where it is). Of external data that exists, the biases, scales
/// and masks that decide the form of an op are read.
/// Functions are inlined, an If with a constant condition becomes its branch, everything that is
/// computed from constants alone is folded away, Identity vanishes. What exporters write with other
/// ops than eager runs becomes eager's again: a MatMul and the Add of its bias, attention,
/// activations and layer norms taken apart, biases of zeros that the exporter made.
///
/// Parameters are the float initialisers of rank 1 and more that a node uses, once each, without
/// the running statistics of batch normalisation (those are buffers).
///
/// Throws Error (input) with the file, the byte where it is known and a hint when the file is not
/// ONNX, damaged, contradicts itself or leaves a dimension open; Error (usage) for a key of `dims`
/// that does not exist. With places also Error (input) for data of another length than its type
/// says, an external file that is missing or too short, or one outside the folder of the model.
///
///     ImportResult net = onnx::read_onnx("bert.onnx", {.dims = {{"sequence", 128}}, .batch = 8});
[[nodiscard]] ImportResult read_onnx(const std::filesystem::path& path,
                                     const ImportOptions& options = {});

/// The same for a file that is already in memory; `name` stands for it in messages. Places are
/// offsets into the bytes; external data is not looked for.
[[nodiscard]] ImportResult read_onnx_bytes(std::string_view bytes, const std::string& name,
                                           const ImportOptions& options = {});

/// True for a regular file whose first fields are those of an ONNX model. Never throws.
[[nodiscard]] bool looks_like_onnx(const std::filesystem::path& path) noexcept;

}  // namespace rooflab::onnx
