// From the facts of a profile to a record.
//
// Samples of a device become columns, beside an empty table of kernels.
//
// A trace becomes what a profiler's trace becomes: every kernel a row, with its start. A profile
// with counters becomes one step: a row for each kernel of the reference step, its time the median
// over the traced steps, its counters merged from the steps that counted them (step_merge.cpp).
//
// Which traced kernel is which launch of the step: activities come in no order, but correlations
// rise with the launches. Sorted by those, the traced kernels are searched for the reference step,
// from beginning to end; place i in what is found is launch i. Where it is not found as launched,
// because a launch is a CUDA graph of many kernels, the kernels between the beginnings of two
// traced steps are the step: the sequence that most of the traced steps have. A launch that was
// never traced at its place has the median time of all traced kernels with its signature, or none.

#include "profile_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "counters_notes.hpp"
#include "group_merge.hpp"
#include "like_launches.hpp"
#include "record/nccl_kernel.hpp"
#include "record/occupation.hpp"
#include "record/trace_source.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/profile/profile_request.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "step_merge.hpp"
#include "system/utc_time.hpp"

namespace rooflab::counters {
namespace {

namespace fs = std::filesystem;
using record::KernelFigure;

constexpr double nanoseconds = 1e9;

std::optional<double> median_s(const std::vector<double>& durations_ns) {
  if (durations_ns.empty()) return std::nullopt;
  return quantile(durations_ns, 0.5) / nanoseconds;
}

/// What the record's rows are made of: one process and what the file says of it.
class RecordMaker {
 public:
  explicit RecordMaker(ProfileFacts facts) : facts_(std::move(facts)) {}

  record::Record make(const std::string& file) {
    identify(file);
    const bool counted = facts_.head && facts_.head->mode != "trace" && !is_sampled();
    // Before kernels that ran outside of steps are left out.
    const std::string chip = facts_.devices.empty() ? "" : facts_.devices.front().chip;
    const GroupMerge anywhere(facts_, chip, false);
    const GroupMerge of_step(facts_, chip, true);
    if (counted) find_step();
    record_.kernels.emplace().processes.intern(process_);
    record_.kernels->names = facts_.names;
    if (is_sampled()) {
      make_samples();
    } else if (reference_.empty()) {
      make_trace();
      make_ops_of_part();
    } else {
      make_step();
      make_ops();
    }
    std::erase_if(facts_.sets, [](const auto& entry) {
      return entry.second.unit == profile::CountedUnit::launch;
    });
    if (!facts_.sets.empty() || !reference_.empty()) make_counting();
    if (reference_.empty()) {
      if (anywhere.has_counters()) take_groups(anywhere);
    } else {
      fill_step(of_step, anywhere);
    }
    add_occupation();
    tell_device();
    conclude();
    return std::move(record_);
  }

 private:
  // A kernel's row, as far as its signature tells.
  std::size_t add_row(const KernelSignature& signature, record::KernelLaunch launch) {
    launch.name = signature.name;
    launch.grid = signature.grid;
    launch.block = signature.block;
    const std::size_t row = record_.kernels->add(launch);
    if (signature.registers) {
      record_.kernels->set(KernelFigure::registers_per_thread, row,
                           static_cast<double>(*signature.registers));
    }
    if (signature.shared_bytes) {
      record_.kernels->set(KernelFigure::shared_memory_bytes, row,
                           static_cast<double>(*signature.shared_bytes));
    }
    return row;
  }

  /// The device was sampled over time, and no kernel was recorded.
  [[nodiscard]] bool is_sampled() const { return facts_.head && facts_.head->mode == "sample"; }

  [[nodiscard]] const profile::ProfileDevice* device(int index) const {
    const auto found = std::ranges::find(facts_.devices, index, &profile::ProfileDevice::index);
    return found == facts_.devices.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::uint32_t like(std::uint32_t id) const { return facts_.signature(id)->like; }

  void identify(const std::string& file);
  void leave_search_out();
  void find_step();
  [[nodiscard]] std::vector<std::size_t> places_of(const std::vector<std::uint32_t>& step) const;
  void make_ops();
  void make_ops_of_part();
  [[nodiscard]] std::optional<record::ToldLaunch> told_of_node(const TracedKernel& kernel) const;
  void tell_ops(std::vector<record::ToldLaunch> launches, bool part_of_run);
  void take_step_from_windows();
  void make_samples();
  [[nodiscard]] std::int64_t traced_time(std::int64_t ns) const;
  void make_trace();
  void make_step();
  void add_message(std::vector<record::CommunicationEvent>& messages, const TracedKernel& kernel,
                   std::optional<double> time_s) const;
  void make_counting();
  void take_groups(const GroupMerge& groups);
  void fill_step(const GroupMerge& of_step, const GroupMerge& anywhere);
  void add_occupation();
  void tell_device();
  void conclude();

  ProfileFacts facts_;
  record::Record record_;
  std::string process_;
  std::vector<std::uint32_t> reference_;  ///< signatures of the step's kernels, by their likes
  std::vector<std::size_t> found_;        ///< where it begins in the traced kernels
};

/// Usual name of the program: the script if an interpreter runs one, else its executable.
/// Empty if unknown.
std::string program_of(const profile::ProfileHead& head) {
  std::string executable = fs::path(head.executable).filename().string();
  if (executable.empty() && !head.command.empty()) {
    executable = fs::path(head.command.front()).filename().string();
  }
  if (!executable.starts_with("python")) return executable;
  for (std::size_t i = 1; i < head.command.size(); ++i) {
    const std::string& word = head.command[i];
    if (word == "-m" && i + 1 < head.command.size()) return head.command[i + 1];
    if (word == "-c") break;
    if (!word.starts_with("-")) return fs::path(word).filename().string();
  }
  return executable;
}

void RecordMaker::identify(const std::string& file) {
  const profile::ProfileHead head = facts_.head.value_or(profile::ProfileHead{});
  std::string model = program_of(head);
  if (model.empty()) model = fs::path(file).stem().string();
  record_.identity.model = model;
  record_.identity.forget();
  record_.identity.command = shell_line(head.command);
  record_.environment.command = record_.identity.command;
  if (head.unix_ns > 0) record_.environment.date = utc_time(head.unix_ns / 1'000'000'000);
  if (!head.cupti.empty()) record_.environment.libraries["cupti"] = head.cupti;
  process_ = format("{} ({}{}{})", model, head.pid, head.host.empty() ? "" : " on ", head.host);
  if (head.rank) process_ += format(", rank {}", *head.rank);
}

std::vector<std::size_t> RecordMaker::places_of(const std::vector<std::uint32_t>& step) const {
  std::vector<std::uint32_t> launches;
  launches.reserve(facts_.kernels.size());
  for (const TracedKernel& kernel : facts_.kernels) launches.push_back(like(kernel.signature));
  return places_among(step, launches);
}

/// What ran while the step was searched for is not what it takes.
void RecordMaker::leave_search_out() {
  if (facts_.sequence.empty() || facts_.steps.empty()) return;
  const std::int64_t first_ns = facts_.steps.front().ns;
  std::erase_if(facts_.kernels,
                [first_ns](const TracedKernel& kernel) { return kernel.start_ns < first_ns; });
  std::erase_if(facts_.copies,
                [first_ns](const record::CopyEvent& copy) { return copy.start_ns < first_ns; });
}

void RecordMaker::find_step() {
  leave_search_out();
  std::ranges::stable_sort(facts_.kernels, {}, &TracedKernel::correlation);
  for (const std::uint32_t id : facts_.sequence) reference_.push_back(like(id));
  if (reference_.empty()) {  // the program ended before it was written: a counted step is one
    for (const auto& [index, set] : facts_.sets) {
      if (set.rows.empty()) continue;
      for (const CountedRow& row : set.rows) {
        if (facts_.signature(row.signature) != nullptr) reference_.push_back(like(row.signature));
      }
      break;
    }
  }
  found_ = places_of(reference_);
  if (found_.empty() && !reference_.empty()) take_step_from_windows();
}

void RecordMaker::take_step_from_windows() {
  std::map<std::vector<std::uint32_t>, std::size_t> windows;
  auto kernel = facts_.kernels.cbegin();
  for (std::size_t i = 0; i + 1 < facts_.steps.size(); ++i) {
    const StepBegin& step = facts_.steps[i];
    std::vector<std::uint32_t> window;
    for (; kernel != facts_.kernels.cend() && kernel->correlation < facts_.steps[i + 1].launch;
         ++kernel) {
      if (kernel->correlation >= step.launch) window.push_back(like(kernel->signature));
    }
    if (!step.broke && !window.empty()) ++windows[window];
  }
  const auto most =
      std::ranges::max_element(windows, {}, [](const auto& each) { return each.second; });
  if (most == windows.end()) return;
  reference_ = most->first;
  found_ = places_of(reference_);
}

void RecordMaker::make_samples() {
  constexpr std::size_t most = 20'000;  // a page draws fewer; the file has them all
  record_.hardware_samples =
      record::condensed(facts_.samples.samples().value_or(record::HardwareSamples()), most);
  if (const profile::ProfileDevice* told = device(facts_.samples.device())) {
    record_.hardware_samples->chip = told->chip;
  }
}

/// Time in which nothing was recorded is cut out: else it would pass for idle time.
std::int64_t RecordMaker::traced_time(std::int64_t ns) const {
  std::int64_t cut = 0;
  for (const auto& [begin, end] : facts_.untraced) {
    if (ns <= begin) break;
    cut += std::min(ns, end) - begin;
  }
  return ns - cut;
}

void RecordMaker::make_trace() {
  record::KernelTable& kernels = *record_.kernels;
  kernels.reserve(facts_.kernels.size());
  for (const TracedKernel& kernel : facts_.kernels) {
    record::KernelLaunch launch;
    launch.launch = kernel.correlation;
    launch.device = kernel.device;
    launch.stream = kernel.stream;
    launch.start_ns = traced_time(kernel.start_ns);
    const std::size_t row = add_row(*facts_.signature(kernel.signature), launch);
    if (kernel.duration_ns >= 0) {
      kernels.set(KernelFigure::time_s, row, static_cast<double>(kernel.duration_ns) / nanoseconds);
    }
  }
  record::Trace& trace = record_.trace.emplace();
  for (const TracedKernel& kernel : facts_.kernels) {
    add_message(trace.communications, kernel,
                static_cast<double>(std::max<std::int64_t>(kernel.duration_ns, 0)) / nanoseconds);
  }
  for (record::CommunicationEvent& message : trace.communications) {
    message.start_ns = traced_time(message.start_ns);
  }
  trace.profiler = record::name_of(record::TraceSource::cupti);
  if (facts_.head) {
    if (__builtin_sub_overflow(facts_.head->unix_ns, facts_.head->clock_ns, &trace.base_ns)) {
      trace.base_ns = 0;
    }
    trace.rank = facts_.head->rank;
    trace.world_size = facts_.head->world_size;
  }
  for (const profile::ProfileDevice& each : facts_.devices) {
    record::TraceDevice told;
    told.id = each.index;
    told.name = each.name;
    told.memory_bytes = each.memory_bytes;
    if (!each.compute_capability.empty()) told.compute_capability = each.compute_capability;
    told.multiprocessors = each.multiprocessors;
    trace.devices.push_back(std::move(told));
  }
  trace.copy_names = facts_.copy_names;
  trace.copies = std::move(facts_.copies);
  for (record::CopyEvent& copy : trace.copies) copy.start_ns = traced_time(copy.start_ns);
}

void RecordMaker::make_step() {
  record::KernelTable& kernels = *record_.kernels;
  std::map<std::uint32_t, std::vector<double>> by_signature;
  std::map<std::uint32_t, const TracedKernel*> example;
  for (const TracedKernel& kernel : facts_.kernels) {
    const std::uint32_t signature = like(kernel.signature);
    example.try_emplace(signature, &kernel);
    if (kernel.duration_ns >= 0) {
      by_signature[signature].push_back(static_cast<double>(kernel.duration_ns));
    }
  }
  std::vector<double> durations;
  for (std::size_t ordinal = 0; ordinal < reference_.size(); ++ordinal) {
    const TracedKernel* traced = nullptr;
    durations.clear();
    for (const std::size_t begin : found_) {
      const TracedKernel& kernel = facts_.kernels[begin + ordinal];
      if (traced == nullptr) traced = &kernel;
      if (kernel.duration_ns >= 0) durations.push_back(static_cast<double>(kernel.duration_ns));
    }
    const auto same = example.find(reference_[ordinal]);
    if (traced == nullptr && same != example.end()) traced = same->second;
    record::KernelLaunch launch;
    launch.launch = static_cast<std::int64_t>(ordinal);
    if (traced != nullptr) {
      launch.device = traced->device;
      launch.stream = traced->stream;
    } else if (!facts_.devices.empty()) {
      launch.device = facts_.devices.front().index;
    }
    // What ran tells registers and shared memory, which a launch alone does not.
    const std::uint32_t id = traced != nullptr ? traced->signature : reference_[ordinal];
    const std::size_t row = add_row(*facts_.signature(id), launch);
    const auto time =
        durations.empty() ? median_s(by_signature[reference_[ordinal]]) : median_s(durations);
    if (time) kernels.set(KernelFigure::time_s, row, *time);
    if (traced != nullptr) add_message(record_.messages, *traced, time);
  }
}

/// What a kernel of NCCL sends; nothing for another kernel.
void RecordMaker::add_message(std::vector<record::CommunicationEvent>& messages,
                              const TracedKernel& kernel, std::optional<double> time_s) const {
  const std::string& name = facts_.names[facts_.signature(kernel.signature)->name];
  const std::int64_t duration_ns = std::llround(time_s.value_or(0.0) * nanoseconds);
  if (!record::add_collective(messages, name, kernel.start_ns, duration_ns)) return;
  const auto told = facts_.messages.find(kernel.correlation);
  if (told == facts_.messages.end() || !told->second.are_alike) return;
  record::CommunicationEvent& message = messages.back();
  std::string by_name = std::move(message.collective);
  message = told->second.sum;
  if (message.collective.empty()) message.collective = std::move(by_name);
  message.start_ns = kernel.start_ns;
  message.duration_ns = duration_ns;
}

/// A node's op is one op, and works each time that its graph is launched.
std::optional<record::ToldLaunch> RecordMaker::told_of_node(const TracedKernel& kernel) const {
  const auto found = kernel.node == 0 ? facts_.nodes.end() : facts_.nodes.find(kernel.node);
  if (found == facts_.nodes.end()) return std::nullopt;
  record::ToldLaunch told = found->second;
  told.replay = kernel.correlation;
  return told;
}

void RecordMaker::tell_ops(std::vector<record::ToldLaunch> launches, bool part_of_run) {
  const bool any = std::ranges::any_of(launches, [](const record::ToldLaunch& launch) {
    return launch.recording >= 0 || launch.range >= 0;
  });
  if (!any) return;
  record_.told_ops = {facts_.ops_in, facts_.ranges, std::move(launches), part_of_run};
}

/// The op of each kernel of the step: of nodes of graphs as the capture told it, of other launches
/// as a step like the reference did.
void RecordMaker::make_ops() {
  std::vector<record::ToldLaunch> launches(reference_.size());
  std::vector<std::size_t> by_themselves;
  std::vector<std::uint32_t> signatures;
  for (std::size_t i = 0; i < reference_.size(); ++i) {
    const TracedKernel* const traced =
        found_.empty() ? nullptr : &facts_.kernels[found_.back() + i];
    if (traced == nullptr || traced->node == 0) {
      by_themselves.push_back(i);
      signatures.push_back(reference_[i]);
    } else if (const auto told = told_of_node(*traced)) {
      launches[i] = *told;
    }
  }
  if (!facts_.op_launches.empty() && !signatures.empty()) {
    std::vector<std::uint32_t> told;
    for (const OpLaunch& launch : facts_.op_launches) told.push_back(like(launch.signature));
    // What a library chooses may depend on the place of a tensor in memory: another kernel then.
    const auto name_of = [this](std::uint32_t id) { return facts_.signature(id)->name; };
    const LikeLaunches found = like_launches(signatures, told, name_of);
    if (found.places.empty()) {
      record_.warnings.push_back({says.ops_of_other_steps});
    } else if (found.others > 0) {
      record_.warnings.push_back(
          {says.ops_of_like_steps, {found.others, static_cast<std::int64_t>(signatures.size())}});
    }
    for (std::size_t i = 0; i < found.places.size(); ++i) {
      if (!found.places[i]) continue;
      launches[by_themselves[i]] = facts_.op_launches[*found.places[i]].told;
    }
  }
  tell_ops(std::move(launches), false);
}

/// Without a step: the launches that told their ops, by their correlation.
void RecordMaker::make_ops_of_part() {
  std::unordered_map<std::int64_t, const record::ToldLaunch*> by_correlation;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const OpLaunch& launch : facts_.op_launches) {
    if (!launch.correlation) continue;
    by_correlation[*launch.correlation] = &launch.told;
    first = std::min(first, *launch.correlation);
    last = std::max(last, *launch.correlation);
  }
  const bool part_of_run = !by_correlation.empty();
  const std::int32_t recording = part_of_run ? facts_.op_launches.back().told.recording : -1;
  std::vector<record::ToldLaunch> launches;
  for (const TracedKernel& kernel : facts_.kernels) {
    record::ToldLaunch& launch = launches.emplace_back();
    if (part_of_run && (kernel.correlation < first || kernel.correlation > last)) continue;
    launch.recording = recording;
    const auto told = by_correlation.find(kernel.correlation);
    if (const auto node = told_of_node(kernel)) {
      launch = *node;
    } else if (told != by_correlation.end()) {
      launch = *told->second;
    }
  }
  tell_ops(std::move(launches), part_of_run);
}

void RecordMaker::make_counting() {
  record::Counting& counting = record_.counting.emplace();
  const int index = reference_.empty() ? 0 : record_.kernels->launch(0).device;
  if (const profile::ProfileDevice* told = device(index)) counting.chip = told->chip;
  if (facts_.head) {
    const auto window = profile::profile_window_from_text(facts_.head->window);
    if (window && window->kind == profile::ProfileWindow::Kind::part) {
      counting.window = window->part;
    }
  }
  counting.launches_per_step = static_cast<std::int64_t>(reference_.size());
  counting.steps_s = facts_.steps_s;
  std::vector<CountedLaunches> launches;
  std::vector<CountedStep> totals;
  std::vector<std::size_t> set_of_launches;
  for (auto& [number, facts] : facts_.sets) {
    // Chosen, but the hardware never got so far.
    if (!facts.wall_ns && facts.rows.empty() && facts.totals.empty()) continue;
    record::CounterSet set;
    set.metrics = facts.metrics;
    set.per_kernel = facts.unit == profile::CountedUnit::kernel;
    set.passes = facts.passes;
    set.arming_s = static_cast<double>(facts.arming_ns.value_or(0)) / nanoseconds;
    set.wall_s = static_cast<double>(facts.wall_ns.value_or(0)) / nanoseconds;
    set.launches = std::max(facts.launches, static_cast<std::int64_t>(facts.rows.size()));
    set.dropped = facts.dropped;
    // For a program that ended early: one set after the other, each armed after the one before.
    (counting.sets.empty() ? counting.arming_s : counting.wall_s) += set.arming_s;
    counting.wall_s += set.wall_s;
    for (const std::vector<double>& values : facts.totals) {
      totals.push_back({facts.metrics, values});
    }
    if (set.per_kernel) {
      CountedLaunches& counted = launches.emplace_back();
      counted.metrics = facts.metrics;
      std::ranges::stable_sort(facts.rows, {}, &CountedRow::ordinal);
      for (const CountedRow& row : facts.rows) {
        // Without a signature it is like nothing: its number is that of none.
        const KernelSignature* const known = facts_.signature(row.signature);
        counted.launches.push_back(known != nullptr ? known->like : row.signature);
        counted.values.insert(counted.values.end(), row.values.begin(), row.values.end());
      }
      set_of_launches.push_back(counting.sets.size());
    }
    counting.sets.push_back(std::move(set));
  }
  if (facts_.counting_wall_ns) {
    counting.wall_s = static_cast<double>(*facts_.counting_wall_ns) / nanoseconds;
  }
  if (facts_.counting_arming_ns) {
    counting.arming_s = static_cast<double>(*facts_.counting_arming_ns) / nanoseconds;
  }
  if (!reference_.empty()) {
    const auto counts = merge_steps(*record_.kernels, reference_, launches);
    std::int64_t missing = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      std::int64_t& dropped = counting.sets[set_of_launches[i]].dropped;
      dropped = std::max(dropped, counts[i].missing);
      missing += dropped;
    }
    if (missing > 0) {
      record_.warnings.push_back({says.launches_without_value, {missing}});
    }
  }
  if (!totals.empty()) {
    record::KernelTable& step = counting.step.emplace();
    record::KernelLaunch launch;
    launch.name = step.names.intern("(step)");
    launch.process = step.processes.intern(process_);
    launch.device = index;
    merge_totals(step, step.add(launch), totals);
  }
  counting.peaks = facts_.peaks;
}

void RecordMaker::take_groups(const GroupMerge& groups) {
  record_.counted_groups = groups.groups();
  std::vector<std::uint32_t> likes;
  for (const TracedKernel& kernel : facts_.kernels) likes.push_back(like(kernel.signature));
  // A trace's occupancy is an estimate.
  groups.fill(*record_.kernels, likes, std::array{KernelFigure::occupancy});
}

/// Kernels that were not counted one by one: of a program that ended before, or of a CUDA graph,
/// whose kernels ran by themselves before it was captured.
void RecordMaker::fill_step(const GroupMerge& of_step, const GroupMerge& anywhere) {
  std::int64_t filled = 0;
  for (const GroupMerge* groups : {&of_step, &anywhere}) {
    if (groups->has_counters()) filled += groups->fill(*record_.kernels, reference_);
  }
  if (filled > 0) {
    record_.warnings.push_back(
        {says.counters_of_like_launches, {filled, static_cast<std::int64_t>(reference_.size())}});
  }
}

void RecordMaker::add_occupation() {
  record::set_occupation(*record_.kernels, [this](int index) {
    const profile::ProfileDevice* const told = device(index);
    return told != nullptr ? told->multiprocessors : std::nullopt;
  });
}

void RecordMaker::tell_device() {
  record::DeviceIdentity& identity = record_.environment.device;
  const bool used = !record_.kernels->empty();
  if (!used && facts_.devices.empty()) {
    identity.kind = "cpu";
    record_.identity.device = "cpu";
    return;
  }
  identity.kind = "cuda";
  identity.index = used ? record_.kernels->launch(0).device : facts_.devices.front().index;
  record_.identity.device = format("cuda:{}", identity.index);
  const profile::ProfileDevice* const told = device(identity.index);
  if (told == nullptr) return;
  identity.name = told->name;
  identity.uuid = told->uuid;
  if (told->memory_bytes) identity.memory = Bytes(*told->memory_bytes);
  if (!told->compute_capability.empty()) identity.compute_capability = told->compute_capability;
  identity.multiprocessors = told->multiprocessors;
  if (!told->driver.empty()) identity.driver = told->driver;
}

void RecordMaker::conclude() {
  if (!facts_.end) {
    record_.status = record::Status::interrupted;
    record_.message = "the program ended unexpectedly: its profile may lack the last kernels";
  } else if (*facts_.end == "signal") {
    record_.warnings.push_back({says.ended_by_signal});
  }
  std::ranges::move(facts_.warnings, std::back_inserter(record_.warnings));
  if (facts_.head && !facts_.head->counters) record_.warnings.push_back({says.counters_not_wanted});
  if (is_sampled()) {
    if (record_.hardware_samples->size() == 0) record_.warnings.push_back({says.nothing_sampled});
  } else if (record_.kernels->empty()) {
    record_.warnings.push_back({says.no_kernel_recorded});
  } else if (!record_.kernels->has(KernelFigure::time_s)) {
    record_.warnings.push_back({says.no_step_traced});
  }
  record_.lost = std::move(facts_.lost);
}

}  // namespace

record::Record record_of(ProfileFacts facts, const std::string& file) {
  return RecordMaker(std::move(facts)).make(file);
}

}  // namespace rooflab::counters
