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
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/schedule/schedule.hpp"

/// Recordings: what PyTorch's dispatcher ran in one step of a program. docs/formats/recording.md
/// has the format; the Python package `rooflab` writes it.
namespace rooflab::recording {

/// Where the program is.
enum class Part : std::uint8_t { forward, backward, optimizer, other };
constexpr auto names_in_order(For<Part>) {
  return names_through<Part::other>("forward", "backward", "optimizer", "other");
}

/// A module whose `forward` was called.
struct Module {
  std::string name;  ///< qualified name in its root; empty for a root
  std::string class_name;
  std::int32_t root = 0;  ///< number of the outermost module that was called
};

/// Element type, extents and strides. A complex type is a real one with an innermost extent of 2.
struct Layout {
  graph::TensorType type;
  schedule::Strides strides;
};

/// A piece of memory.
struct Storage {
  Bytes bytes;
  std::string device;                  ///< `cuda:0`, `cpu`, `meta`
  std::optional<schedule::Role> role;  ///< nullopt: an activation or a gradient of one
  std::string name;                    ///< name of a parameter or buffer; else empty
  bool before = false;                 ///< it is there when the step begins
};

/// A layout over a storage.
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
  std::optional<DType> autocast;
  friend bool operator==(const Place&, const Place&) = default;
};

/// One operation of the dispatcher.
struct Op {
  std::int32_t name = 0;  ///< in Recording::op_names
  std::int32_t place = 0;
  std::vector<Operand> in;
  std::vector<Operand> out;
  Json arguments;                    ///< an object of the others by name, or null
  std::vector<std::int32_t> writes;  ///< places in `in` that the op overwrites
  std::int32_t ranks = 0;            ///< processes that take part in a collective; 0: not said
  std::int32_t wrapped = 0;          ///< operations of tensor subclasses that it came out of
  std::int64_t call = -1;            ///< its number in a profile that ran meanwhile; -1: none
  int line = 0;                      ///< in the file
};

/// A storage that is freed before the op of that index.
struct Free {
  std::size_t op = 0;
  std::int32_t storage = 0;
};

/// An optimizer that ran in the step.
struct Optimizer {
  std::string class_name;
  std::map<std::string, double> options;  ///< numbers, and truth values as 0 and 1
};

/// Work that the dispatcher did not see.
struct Gap {
  std::string kind;  ///< `triton`, `extension`, `sparse`
  std::string name;
  std::int64_t count = 1;
};

/// An answer that the writer made up.
struct Assumption {
  std::string what;  ///< `item`
  std::string where;
  std::int64_t count = 1;
};

/// One step of a program, as it was recorded.
struct Recording {
  std::string file;
  std::string name;       ///< class of the first module, or the user's
  std::string framework;  ///< `torch 2.11.0+cu130`
  std::optional<std::int64_t> batch;
  std::optional<std::int64_t> context;  ///< tokens in the cache before the step, or of a prefill
  bool grad = true;                     ///< autograd was on
  bool values = true;                   ///< the numbers were computed
  bool tf32_products = false;
  bool tf32_convolutions = true;
  std::vector<Module> modules;
  std::vector<Layout> layouts;
  std::vector<Storage> storages;
  std::vector<std::size_t> born;  ///< index: storage; the op that it is made for, 0 if before
  std::vector<Tensor> tensors;
  std::vector<std::string> op_names;  ///< `aten.convolution`, each once
  std::vector<Place> places;
  std::vector<Op> ops;
  std::vector<Free> frees;
  std::vector<Optimizer> optimizers;
  std::vector<TensorId> outputs;
  std::vector<Gap> gaps;
  std::vector<Assumption> assumptions;

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

  /// What a step of it is: training with a backward pass, forward if autograd was on, else
  /// inference.
  [[nodiscard]] Phase phase() const;
  /// How its numbers are stored and multiplied: by autocast, the type of the parameters (nine
  /// tenths of their bytes, else `mixed`) and the TF32 switches.
  [[nodiscard]] Precision precision() const;
};

/// Whether a file begins as a recording does, compressed or not; false where no file lies. Throws
/// Error (input) with the system's reason for a file that cannot be read.
[[nodiscard]] bool is_recording(const std::filesystem::path& file);

/// Throws Error (input) with the line for a file that cannot be read, is not a recording, ends
/// early, contradicts itself or is of a newer version.
[[nodiscard]] Recording read_recording(const std::filesystem::path& file);
/// The same of a text, compressed or not; `file` is its name in errors.
[[nodiscard]] Recording parse_recording(std::string_view text, const std::string& file);

/// The step as a schedule: every op with its work and memory, and when each storage is there. The
/// essay is at the head of src/recording/lower.cpp. Ops without a rule are graph::Opaque without
/// work.
[[nodiscard]] schedule::Schedule lower(const Recording& recording);

/// The same, and where the entries of each op are.
struct LoweredOps {
  schedule::Schedule schedule;
  std::vector<std::size_t>
      first;  ///< index: op; its first entry. One more: the end of the last op's

  /// The entries of an op, as places among those of the schedule: [first, second).
  [[nodiscard]] std::pair<std::size_t, std::size_t> entries_of(std::size_t op) const {
    return {first[op], first[op + 1]};
  }
};
[[nodiscard]] LoweredOps lower_by_op(const Recording& recording);

/// What a reader of figures of it must know: gaps, assumptions, host work.
[[nodiscard]] std::vector<Note> notes_of(const Recording& recording);

/// How large a step is: its samples, and its tokens in the cache (of a prefill its own).
struct StepSize {
  std::optional<std::int64_t> batch;
  std::optional<std::int64_t> context;

  /// `batch 2, context 24`.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const StepSize&, const StepSize&) = default;
};
[[nodiscard]] StepSize size_of(const Recording& recording);

/// One step in any size, from recordings of it in a few: one alone, two in different batches or
/// contexts, or three, one of which has another batch and one another context than the first. The
/// essay is at the head of src/recording/step_sizes.cpp.
class StepSizes {
 public:
  /// What is not asked for is that of the first. Throws Error (input) with the first op of a
  /// recording that is not the same step, or whose numbers are not those that follow from others.
  explicit StepSizes(std::vector<Recording> recordings);
  ~StepSizes();
  StepSizes(StepSizes&&) noexcept;
  StepSizes& operator=(StepSizes&&) noexcept;

  [[nodiscard]] const Recording& first() const;
  /// The step in that size, the recorded one where there is one. Throws Error (input) where the
  /// recordings do not say it, and where a number would not be whole.
  [[nodiscard]] Recording at(StepSize size) const;

 private:
  class Corners;
  std::vector<Recording> recordings_;
  std::unique_ptr<const Corners> corners_;
};

}  // namespace rooflab::recording
