// From the facts of a profile to a record.
//
// Samples of a device become columns, with an empty table of kernels.
//
// A trace becomes what a profiler's trace becomes: every kernel a row, with its start. A profile
// with counters becomes one step: a row for each kernel of the reference step, its time the median
// over the traced steps, its counters merged from the steps that counted them (step_merge.cpp).

#include "profile_record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "counted_sets.hpp"
#include "group_merge.hpp"
#include "notes/counters_notes.hpp"
#include "record/nccl_kernel.hpp"
#include "record/occupation.hpp"
#include "record/trace_source.hpp"
#include "reference_step.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/profile/profile_request.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "system/utc_time.hpp"
#include "told_ops.hpp"

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
    if (counted) step_ = find_step(facts_);
    record_.kernels.emplace().processes.intern(process_);
    record_.kernels->names = facts_.names;
    if (is_sampled()) {
      make_samples();
    } else if (step_.launches.empty()) {
      make_trace();
      record_.told_ops = told_ops_of_part(facts_);
    } else {
      make_step();
      record_.told_ops = told_ops_of_step(facts_, step_, record_.warnings);
    }
    std::erase_if(facts_.sets, [](const auto& entry) {
      return entry.second.unit == profile::CountedUnit::launch;
    });
    if (!facts_.sets.empty() || !step_.launches.empty()) make_counting();
    if (step_.launches.empty()) {
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

  void identify(const std::string& file);
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
  ReferenceStep step_;
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
    const std::uint32_t signature = facts_.like(kernel.signature);
    example.try_emplace(signature, &kernel);
    if (kernel.duration_ns >= 0) {
      by_signature[signature].push_back(static_cast<double>(kernel.duration_ns));
    }
  }
  std::vector<double> durations;
  for (std::size_t ordinal = 0; ordinal < step_.launches.size(); ++ordinal) {
    const TracedKernel* traced = nullptr;
    durations.clear();
    for (const std::size_t begin : step_.found) {
      const TracedKernel& kernel = facts_.kernels[begin + ordinal];
      if (traced == nullptr) traced = &kernel;
      if (kernel.duration_ns >= 0) durations.push_back(static_cast<double>(kernel.duration_ns));
    }
    const auto same = example.find(step_.launches[ordinal]);
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
    const std::uint32_t id = traced != nullptr ? traced->signature : step_.launches[ordinal];
    const std::size_t row = add_row(*facts_.signature(id), launch);
    const auto time =
        durations.empty() ? median_s(by_signature[step_.launches[ordinal]]) : median_s(durations);
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

void RecordMaker::make_counting() {
  const int index = step_.launches.empty() ? 0 : record_.kernels->launch(0).device;
  record::Counting& counting = record_.counting.emplace();
  if (const profile::ProfileDevice* told = device(index)) counting.chip = told->chip;
  if (facts_.head) {
    const auto window = profile::profile_window_from_text(facts_.head->window);
    if (window && window->kind == profile::ProfileWindow::Kind::part) {
      counting.window = window->part;
    }
  }
  counting.launches_per_step = static_cast<std::int64_t>(step_.launches.size());
  counting.steps_s = facts_.steps_s;
  counting.peaks = facts_.peaks;
  CountedSets sets(facts_, counting);
  if (const std::int64_t missing = sets.merge_launches(*record_.kernels, step_.launches)) {
    record_.warnings.push_back({says.launches_without_value, {missing}});
  }
  sets.merge_totals(process_, index);
}

void RecordMaker::take_groups(const GroupMerge& groups) {
  record_.counted_groups = groups.groups();
  std::vector<std::uint32_t> likes;
  for (const TracedKernel& kernel : facts_.kernels) likes.push_back(facts_.like(kernel.signature));
  // A trace's occupancy is an estimate.
  groups.fill(*record_.kernels, likes, std::array{KernelFigure::occupancy});
}

/// Kernels that were not counted one by one: of a program that ended before, or of a CUDA graph,
/// whose kernels ran by themselves before it was captured.
void RecordMaker::fill_step(const GroupMerge& of_step, const GroupMerge& anywhere) {
  std::int64_t filled = 0;
  for (const GroupMerge* groups : {&of_step, &anywhere}) {
    if (groups->has_counters()) filled += groups->fill(*record_.kernels, step_.launches);
  }
  if (filled > 0) {
    record_.warnings.push_back({says.counters_of_like_launches,
                                {filled, static_cast<std::int64_t>(step_.launches.size())}});
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
