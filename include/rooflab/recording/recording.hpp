#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/schedule/schedule.hpp"

/// Recordings of the ops that PyTorch's dispatcher ran in one step of a program.
/// docs/formats/recording.md has the format; the Python package `rooflab` writes it.
namespace rooflab::recording {

/// Part of the step in which an op runs.
enum class Part : std::uint8_t { forward, backward, optimizer, other };
constexpr auto names_in_order(For<Part>) {
  return names_through<Part::other>("forward", "backward", "optimizer", "other");
}

/// A module whose `forward` was called.
struct Module {
  std::string name = {};  ///< qualified name in its root; empty for a root
  std::string class_name = {};
  std::int32_t root = 0;  ///< number of the outermost module that was called
};

/// Element type, extents and strides. A complex type is a real one with an innermost extent of 2.
struct Layout {
  graph::TensorType type = {};
  schedule::Strides strides = {};
};

/// A block of memory.
struct Storage {
  Bytes bytes = {};
  std::string device = {};                  ///< `cuda:0`, `cpu`, `meta`
  std::optional<schedule::Role> role = {};  ///< nullopt: an activation or a gradient of one
  std::string name = {};                    ///< name of a parameter or buffer; else empty
  bool before = false;                      ///< it exists when the step begins
};

/// A tensor: a layout over a storage.
struct Tensor {
  std::int32_t layout = 0;
  std::int32_t storage = 0;
  std::int64_t offset = 0;  ///< in elements
};

/// Number of a tensor; `absent` for an optional argument that is not given.
using TensorId = std::int32_t;
inline constexpr TensorId absent = -1;
/// A Python number in place of a tensor.
inline constexpr TensorId python_number = -2;

/// An argument of a tensor type: a tensor, `absent` or `python_number`, or a list of tensors.
using Operand = std::variant<TensorId, std::vector<TensorId>>;

/// The state of the program at an op.
struct Place {
  Part part = Part::forward;
  std::int32_t module = -1;  ///< -1: outside modules
  bool recomputed = false;   ///< forward work that checkpointing repeats
  std::int32_t stream = 0;   ///< 0: the default stream
  std::optional<DType> autocast = {};
  friend bool operator==(const Place&, const Place&) = default;
};

/// One operation of the dispatcher.
struct Op {
  std::int32_t name = 0;  ///< in Recording::op_names
  std::int32_t place = 0;
  std::vector<Operand> in = {};
  std::vector<Operand> out = {};
  Json arguments = {};                    ///< object of the other arguments by name, or null
  std::vector<std::int32_t> writes = {};  ///< places in `in` that the op overwrites
  std::int32_t ranks = 0;    ///< processes that take part in a collective; 0: not known
  std::int32_t wrapped = 0;  ///< operations of tensor subclasses that it came from
  std::int64_t call = -1;    ///< its number in a profile of the same run; -1: none
  int line = 0;              ///< line in the file
};

/// A storage and the index of the op before which it is freed.
struct Free {
  std::size_t op = 0;
  std::int32_t storage = 0;
};

/// An optimizer that ran in the step.
struct Optimizer {
  std::string class_name = {};
  std::map<std::string, double> options = {};  ///< numbers, and truth values as 0 and 1
};

/// Work that the dispatcher did not see.
struct Gap {
  std::string kind = {};  ///< `triton`, `extension`, `sparse`
  std::string name = {};
  std::int64_t count = 1;
};

/// A value that the recorder assumed.
struct Assumption {
  std::string what = {};  ///< `item`
  std::string where = {};
  std::int64_t count = 1;
};

/// One step of a program, as it was recorded.
struct Recording {
  std::string file = {};
  std::string name = {};       ///< class of the first module, or a name by the user
  std::string framework = {};  ///< `torch 2.11.0+cu130`
  std::optional<std::int64_t> batch = {};
  /// Tokens in the cache before the step, or of a prefill
  std::optional<std::int64_t> context = {};
  bool grad = true;    ///< autograd was on
  bool values = true;  ///< the numbers were computed
  bool tf32_products = false;
  bool tf32_convolutions = true;
  std::vector<Module> modules = {};
  std::vector<Layout> layouts = {};
  std::vector<Storage> storages = {};
  std::vector<std::size_t> born = {};  ///< index: storage; op that it is made for, 0 if before
  std::vector<Tensor> tensors = {};
  std::vector<std::string> op_names = {};  ///< distinct names: `aten.convolution`
  std::vector<Place> places = {};
  std::vector<Op> ops = {};
  std::vector<Free> frees = {};
  std::vector<Optimizer> optimizers = {};
  std::vector<TensorId> outputs = {};
  std::vector<Gap> gaps = {};
  std::vector<Assumption> assumptions = {};

  [[nodiscard]] const Layout& layout_of(TensorId id) const {
    return layouts[static_cast<std::size_t>(tensors[static_cast<std::size_t>(id)].layout)];
  }
  [[nodiscard]] const Storage& storage_of(TensorId id) const {
    return storages[static_cast<std::size_t>(tensors[static_cast<std::size_t>(id)].storage)];
  }
  [[nodiscard]] const Place& place_of(const Op& op) const {
    return places[static_cast<std::size_t>(op.place)];
  }
  [[nodiscard]] std::string_view name_of(const Op& op) const {
    return op_names[static_cast<std::size_t>(op.name)];
  }

  /// Phase of the step: training with a backward pass, forward if autograd was on, else inference.
  [[nodiscard]] Phase phase() const;
  /// Precision of the step by autocast, the type of the parameters (of nine tenths of their bytes,
  /// else `mixed`) and the TF32 switches.
  [[nodiscard]] Precision precision() const;
  /// The first optimizer of a kind that calibrations know; else none.
  [[nodiscard]] schedule::Optimizer optimizer() const;
};

/// Whether a file begins like a recording, compressed or not; false if the file does not exist.
/// Throws Error (input) with the system's reason for a file that cannot be read.
[[nodiscard]] bool is_recording(const std::filesystem::path& file);

/// Reads a recording. Throws Error (input) with the line for a file that cannot be read, is not a
/// recording, ends early, contradicts itself or has a newer version.
[[nodiscard]] Recording read_recording(const std::filesystem::path& file);
/// Parses the text of a recording, compressed or not; `file` names it in errors. Throws as
/// read_recording().
[[nodiscard]] Recording parse_recording(std::string_view text, const std::string& file);

/// The step as a schedule: every op with its work and memory, and the lifetime of each storage. The
/// essay is at the head of src/recording/lowerer.cpp. Ops without a rule are graph::Opaque without
/// work.
[[nodiscard]] schedule::Schedule lower(const Recording& recording);

/// A lowered recording with the place of each op's entries.
struct LoweredOps {
  schedule::Schedule schedule = {};
  std::vector<std::size_t> first =
      {};  ///< index: op; its first entry. One more element: the end of the last op's entries

  /// Entries of an op as places in the schedule: [first, second).
  [[nodiscard]] std::pair<std::size_t, std::size_t> entries_of(std::size_t op) const {
    return {first[op], first[op + 1]};
  }
};
[[nodiscard]] LoweredOps lower_by_op(const Recording& recording);

/// Notes about figures of a recording: gaps, assumptions, host work.
[[nodiscard]] std::vector<Note> notes_of(const Recording& recording);

/// Size of a step: its samples, and its tokens in the cache (for a prefill the tokens that it
/// processes).
struct StepSize {
  std::optional<std::int64_t> batch = {};
  std::optional<std::int64_t> context = {};

  /// Text such as `batch 2, context 24`.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const StepSize&, const StepSize&) = default;
};
[[nodiscard]] StepSize size_of(const Recording& recording);

/// One step in any size, derived from recordings of it in a few sizes: a single one, two with
/// different batches or contexts, or three of which one has another batch and one another context
/// than the first. The essay is at the head of src/recording/step_sizes.cpp.
class StepSizes {
 public:
  /// Takes recordings of one step; a size that at() is not given is that of the first. Throws Error
  /// (input) with the first op of a recording that belongs to another step, or whose numbers do not
  /// follow from the others.
  explicit StepSizes(std::vector<Recording> recordings);
  ~StepSizes();
  StepSizes(StepSizes&&) noexcept;
  StepSizes& operator=(StepSizes&&) noexcept;

  [[nodiscard]] const Recording& first() const;
  /// The step in a size; a recorded one if available. Throws Error (input) where the recordings do
  /// not determine it, and where a number would not be whole.
  [[nodiscard]] Recording at(StepSize size) const;

 private:
  class Corners;
  std::vector<Recording> recordings_;
  std::unique_ptr<const Corners> corners_;
};

}  // namespace rooflab::recording
