#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profile/profile_writer.hpp"
#include "profile_line.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/record/modelled_step.hpp"
#include "rooflab/record/record.hpp"
#include "sample_facts.hpp"

namespace rooflab::counters {

/// A launch signature in the file.
struct KernelSignature {
  std::uint32_t like = 0;          ///< the first signature with the same name, grid and block
  record::NameTable::Id name = 0;  ///< in ProfileFacts::names, demangled
  record::Extent grid = {};
  record::Extent block = {};
  std::optional<std::int64_t> registers;
  std::optional<std::int64_t> shared_bytes;
};

/// A kernel that ran.
struct TracedKernel {
  std::uint32_t signature = 0;  ///< number in the file
  std::int32_t device = 0;
  std::int32_t stream = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;  ///< negative: not known
  std::int64_t correlation = 0;
  std::uint64_t node = 0;  ///< node of a CUDA graph; 0: not in a graph
};

/// A launch with its values, in a step that was counted kernel by kernel.
struct CountedRow {
  std::int64_t ordinal = 0;
  std::uint32_t signature = 0;
  std::vector<double> values;
};

/// A launch outside of steps with its values.
struct CountedLaunch {
  std::uint32_t signature = 0;
  std::vector<double> values;
};

/// One set of metrics with its values.
struct FactsOfSet {
  std::vector<std::string> metrics;
  profile::CountedUnit unit = profile::CountedUnit::step;
  std::vector<CountedLaunch> single;
  bool of_step = false;  ///< counted after the step was known
  std::vector<CountedRow> rows;
  std::vector<std::vector<double>> totals;  ///< values of each count
  int passes = 1;
  std::optional<std::int64_t> arming_ns;
  std::optional<std::int64_t> wall_ns;
  std::int64_t launches = 0;
  std::int64_t dropped = 0;
};

/// A launch whose op the program reported.
struct OpLaunch {
  std::uint32_t signature = 0;
  record::ToldLaunch told;
  std::optional<std::int64_t> correlation;
};

/// Messages that a kernel of NCCL sends.
struct KernelMessages {
  record::CommunicationEvent sum;  ///< with the elements of all messages
  bool are_alike = true;           ///< all have one collective, type and group
};

struct StepBegin {
  std::int64_t launch = 0;  ///< correlation of its first launch
  std::int64_t ns = 0;
  bool broke = false;
};

/// The facts of a profile, taken line by line.
class ProfileFacts {
 public:
  /// Takes one line of the file after the first. Unusable lines are counted in `lost`. False: the
  /// file continues with another process, which is ignored.
  bool take(const LineSource::Line& line);
  /// Takes the first line without its marker.
  void take_head(const LineSource::Line& line);

  [[nodiscard]] const KernelSignature* signature(std::uint32_t id) const;
  /// KernelSignature::like of a signature that exists.
  [[nodiscard]] std::uint32_t like(std::uint32_t id) const { return signature(id)->like; }

  std::optional<profile::ProfileHead> head;
  std::vector<profile::ProfileDevice> devices;
  record::NameTable names;
  std::vector<TracedKernel> kernels;
  std::vector<record::CopyEvent> copies;  ///< names in `copy_names`
  record::NameTable copy_names;
  std::vector<double> steps_s;  ///< mean times of steps
  std::vector<StepBegin> steps;
  std::vector<std::uint32_t> sequence;  ///< launches of the reference step by signature number
  std::vector<std::string> ops_in;      ///< recordings of the program's ops, by their numbers
  std::vector<std::string> ranges;      ///< NVTX ranges, by their numbers
  std::vector<OpLaunch> op_launches;    ///< one after the other
  std::unordered_map<std::uint64_t, record::ToldLaunch> nodes;  ///< nodes of CUDA graphs
  std::unordered_map<std::int64_t, KernelMessages> messages;    ///< keys: correlations of launches
  std::map<std::int64_t, FactsOfSet> sets;
  std::vector<std::pair<std::int64_t, std::int64_t>> untraced;  ///< in ns, one after the other
  std::vector<std::int64_t> launched;  ///< launches outside of steps, by signature
  std::int64_t launched_ns = 0;        ///< time in which these launches occurred
  std::int64_t held_ns = 0;            ///< part of `launched_ns` that counting took
  std::optional<std::int64_t> counting_wall_ns;
  std::optional<std::int64_t> counting_arming_ns;
  std::map<std::string, double> peaks;
  SampleFacts samples;
  std::vector<Note> warnings;
  std::vector<record::Loss> lost;
  std::optional<std::string> end;

 private:
  void lose(std::string_view what);
  void take_kernel(ListItems items);
  void take_copy(ListItems items);
  void take_values(ListItems items);
  void take_op_launch(ListItems items);
  void take_node(ListItems items);
  void take_launch_values(ListItems items);
  /// Reads the rest of a line into `values`; nullptr where they do not fit the set.
  [[nodiscard]] FactsOfSet* set_with(std::int64_t set, ListItems items,
                                     std::vector<double>& values);
  void take_object(const Json& json);
  /// Takes a line about steps; false: it is about something else.
  bool take_of_step(const Json& json);
  bool take_of_counting(const Json& json);
  bool take_of_samples(const Json& json);
  void take_peaks(const Json& all);
  void take_set_done(const Json& json);
  void take_launched(const Json& json, const Json& counts);
  void take_message(const Json& json);
  void take_device(const Json& json);
  void take_signature(const Json& json);
  void take_set(const Json& json);
  void take_totals(const Json& json);

  std::int64_t line_ = 0;
  std::unordered_map<std::uint32_t, KernelSignature> signatures_;
  std::map<std::string, std::uint32_t> first_like_;  ///< keys: name, grid and block
};

}  // namespace rooflab::counters
