#include "profile_facts.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "demangled_name.hpp"
#include "line_members.hpp"
#include "notes/counters_notes.hpp"
#include "profile/metric_plan.hpp"

namespace rooflab::counters {
namespace {

constexpr std::string_view no_json = "lines that are not JSON";
constexpr std::string_view unknown_line = "lines of an unknown kind";
constexpr std::string_view bad_line = "lines with something missing or of the wrong type";
constexpr std::string_view torn_line = "the last line, which ends early";
constexpr std::string_view large_line = "lines of more than 64 MiB";
constexpr std::string_view no_signature = "kernels without a signature";
constexpr std::string_view no_duration = "times of kernels that end before they begin";
constexpr std::string_view no_set = "values of an unknown set";
constexpr std::string_view no_recording = "ops and ranges that no line before names";

/// CUpti_ActivityMemcpyKind of cupti_activity.h, with the names that PyTorch's profiler gives them.
constexpr std::array<std::string_view, 11> copy_directions = {
    "Memcpy",      "Memcpy HtoD", "Memcpy DtoH", "Memcpy HtoA", "Memcpy AtoH", "Memcpy AtoA",
    "Memcpy AtoD", "Memcpy DtoA", "Memcpy DtoD", "Memcpy HtoH", "Memcpy PtoP"};

}  // namespace

void ProfileFacts::lose(std::string_view what) {
  record::count_loss(lost, what, format("line {}", line_));
}

const KernelSignature* ProfileFacts::signature(std::uint32_t id) const {
  const auto found = signatures_.find(id);
  return found == signatures_.end() ? nullptr : &found->second;
}

void ProfileFacts::take_head(const LineSource::Line& line) {
  line_ = line.number;
  const Json json = Json::parse_if_valid(line.text).value_or(nullptr);
  if (!json.is_object()) return lose(line.whole ? no_json : torn_line);
  profile::ProfileHead& told = head.emplace();
  told.pid = integer_of(json, "pid").value_or(0);
  told.host = text_of(json, "host");
  told.command = texts_of(json, "command");
  told.executable = text_of(json, "executable");
  told.rank = small_of(json, "rank");
  told.world_size = small_of(json, "world_size");
  told.unix_ns = integer_of(json, "unix_ns").value_or(0);
  told.clock_ns = integer_of(json, "clock_ns").value_or(0);
  told.mode = text_of(json, "mode");
  told.window = text_of(json, "window");
  told.step = text_of(json, "step");
  const Json* const counters = member(json, "counters");
  told.counters = counters == nullptr || !counters->is_boolean() || counters->get<bool>();
  told.cupti = text_of(json, "cupti");
  told.cupti_path = text_of(json, "cupti_path");
}

bool ProfileFacts::take(const LineSource::Line& line) {
  line_ = line.number;
  if (line.large) {
    lose(large_line);
    return true;
  }
  const ListItems items(line.text);
  if (ListItems kernel = items; kernel.begins("k")) {
    line.whole ? take_kernel(kernel) : lose(torn_line);
  } else if (ListItems copy = items; copy.begins("m")) {
    line.whole ? take_copy(copy) : lose(torn_line);
  } else if (ListItems values = items; values.begins("v")) {
    line.whole ? take_values(values) : lose(torn_line);
  } else if (ListItems named = items; named.begins("o")) {
    line.whole ? take_op_launch(named) : lose(torn_line);
  } else if (ListItems node = items; node.begins("n")) {
    line.whole ? take_node(node) : lose(torn_line);
  } else if (ListItems counted = items; counted.begins("g")) {
    line.whole ? take_launch_values(counted) : lose(torn_line);
  } else if (ListItems sample = items; sample.begins("s")) {
    const auto loses = [this](std::string_view what) { lose(what); };
    line.whole ? samples.take_sample(sample, loses) : lose(torn_line);
  } else if (!line.text.empty() && line.text != "\r") {
    const std::optional<Json> json = Json::parse_if_valid(line.text);
    if (!json) {
      lose(line.whole ? no_json : torn_line);
    } else if (!json->is_object()) {
      lose(unknown_line);
    } else if (json->contains("rooflab_profile")) {
      lose("another process in the same file");
      return false;
    } else {
      take_object(*json);
    }
  }
  return true;
}

void ProfileFacts::take_kernel(ListItems items) {
  TracedKernel kernel;
  const bool read = items.integer(kernel.signature) && items.integer(kernel.device) &&
                    items.integer(kernel.stream) && items.integer(kernel.start_ns) &&
                    items.integer(kernel.duration_ns) && items.integer(kernel.correlation) &&
                    (items.ends() || (items.integer(kernel.node) && items.ends()));
  if (!read) return lose(bad_line);
  if (signature(kernel.signature) == nullptr) return lose(no_signature);
  if (kernel.duration_ns < 0) lose(no_duration);
  kernels.push_back(kernel);
}

void ProfileFacts::take_copy(ListItems items) {
  std::int64_t fill = 0;
  std::int64_t direction = 0;
  record::CopyEvent copy;
  const bool read = items.integer(fill) && items.integer(direction) && items.integer(copy.device) &&
                    items.integer(copy.stream) && items.integer(copy.start_ns) &&
                    items.integer(copy.duration_ns) && items.integer(copy.bytes) &&
                    items.integer(copy.correlation) && items.ends();
  if (!read || copy.duration_ns < 0) return lose(bad_line);
  copy.kind = fill != 0 ? record::CopyKind::memset : record::CopyKind::memcpy;
  const bool known = direction > 0 && direction < static_cast<std::int64_t>(copy_directions.size());
  copy.name = copy_names.intern(
      fill != 0 ? "Memset" : copy_directions.at(known ? static_cast<std::size_t>(direction) : 0));
  copies.push_back(copy);
}

void ProfileFacts::take_values(ListItems items) {
  std::int64_t set = 0;
  CountedRow row;
  if (!items.integer(set) || !items.integer(row.ordinal) || !items.integer(row.signature)) {
    return lose(bad_line);
  }
  if (FactsOfSet* const known = set_with(set, items, row.values)) {
    known->rows.push_back(std::move(row));
  }
}

void ProfileFacts::take_launch_values(ListItems items) {
  std::int64_t set = 0;
  CountedLaunch launch;
  if (!items.integer(set) || !items.integer(launch.signature)) return lose(bad_line);
  FactsOfSet* const known = set_with(set, items, launch.values);
  if (known == nullptr) return;
  if (signature(launch.signature) == nullptr) return lose(no_signature);
  known->single.push_back(std::move(launch));
}

FactsOfSet* ProfileFacts::set_with(std::int64_t set, ListItems items, std::vector<double>& values) {
  double value = 0.0;
  while (items.number(value)) values.push_back(value);
  const auto known = sets.find(set);
  const bool fits = items.ends();
  if (fits && known != sets.end() && values.size() == known->second.metrics.size()) {
    return &known->second;
  }
  lose(fits && known == sets.end() ? no_set : bad_line);
  return nullptr;
}

void ProfileFacts::take_op_launch(ListItems items) {
  OpLaunch launch;
  if (!items.integer(launch.signature) || !items.integer(launch.told.call)) return lose(bad_line);
  if (!items.ends()) {
    std::int64_t correlation = 0;
    if (!items.integer(correlation) || !items.ends()) return lose(bad_line);
    launch.correlation = correlation;
  }
  if (signature(launch.signature) == nullptr) return lose(no_signature);
  if (ops_in.empty()) return lose(no_recording);
  launch.told.recording = static_cast<std::int32_t>(ops_in.size()) - 1;
  op_launches.push_back(launch);
}

void ProfileFacts::take_node(ListItems items) {
  std::uint64_t node = 0;
  record::ToldLaunch told;
  if (!items.integer(node) || !items.integer(told.recording) || !items.integer(told.call) ||
      !items.integer(told.range) || !items.ends()) {
    return lose(bad_line);
  }
  const auto is_known = [](std::int32_t number, const std::vector<std::string>& all) {
    return number < static_cast<std::int32_t>(all.size());
  };
  if (!is_known(told.recording, ops_in) || !is_known(told.range, ranges)) return lose(no_recording);
  nodes.insert_or_assign(node, told);
}

void ProfileFacts::take_object(const Json& json) {
  if (json.contains("kernel")) return take_signature(json);
  if (json.contains("totals")) return take_totals(json);
  if (json.contains("set")) return take_set(json);
  if (json.contains("device")) return take_device(json);
  if (json.contains("message")) return take_message(json);
  if (take_of_step(json) || take_of_counting(json) || take_of_samples(json)) return;
  if (json.contains("ops_in")) {
    ops_in.push_back(text_of(json, "ops_in"));
  } else if (json.contains("range")) {
    ranges.push_back(text_of(json, "range"));
  } else if (json.contains("warning")) {
    warnings.push_back({says.profiler_warned, {text_of(json, "warning"), text_of(json, "hint")}});
  } else if (json.contains("lost")) {
    const auto count = count_of(json, "count");
    if (!count) return lose(bad_line);
    lost.push_back({text_of(json, "lost"), *count, ""});
  } else if (json.contains("end")) {
    end = text_of(json, "end");
  } else {
    lose(unknown_line);
  }
}

bool ProfileFacts::take_of_step(const Json& json) {
  if (json.contains("step_begin")) {
    const auto launch = integer_of(json, "step_begin");
    const auto ns = integer_of(json, "ns");
    launch&& ns ? steps.push_back({*launch, *ns}) : lose(bad_line);
  } else if (json.contains("timed_steps")) {
    const auto count = count_of(json, "timed_steps");
    const auto ns = count_of(json, "ns");
    const bool known = count && *count > 0 && ns;
    known ? steps_s.push_back(static_cast<double>(*ns) / static_cast<double>(*count) / 1e9)
          : lose(bad_line);
  } else if (json.contains("step_broke")) {
    if (!steps.empty()) steps.back().broke = true;
  } else if (json.contains("sequence")) {
    auto ids = ids_of(json, "sequence");
    const auto known = [&](std::uint32_t id) { return signature(id) != nullptr; };
    if (ids && std::ranges::all_of(*ids, known)) {
      sequence = std::move(*ids);
    } else {
      lose(ids ? no_signature : bad_line);
    }
  } else {
    return false;
  }
  return true;
}

bool ProfileFacts::take_of_counting(const Json& json) {
  if (json.contains("set_done")) {
    take_set_done(json);
  } else if (const Json* const span = member(json, "untraced")) {
    const auto begin =
        span->is_array() && span->size() == 2 ? integer_of((*span)[0]) : std::nullopt;
    const auto until = begin ? integer_of((*span)[1]) : std::nullopt;
    const bool fits = until && *until >= *begin;
    if (fits && (untraced.empty() || *begin >= untraced.back().second)) {
      untraced.emplace_back(*begin, *until);
    } else {
      lose(bad_line);
    }
  } else if (const Json* const counts = member(json, "launched")) {
    take_launched(json, *counts);
  } else if (json.contains("counting_wall_ns")) {
    counting_wall_ns = count_of(json, "counting_wall_ns");
    counting_arming_ns = count_of(json, "arming_ns");
  } else if (const Json* const all = member(json, "peaks")) {
    take_peaks(*all);
  } else {
    return false;
  }
  return true;
}

void ProfileFacts::take_peaks(const Json& all) {
  if (!all.is_object()) return lose(bad_line);
  for (const auto& [metric, value] : all.items()) {
    if (value.is_number())
      peaks[profile::peaked_metric(metric).value_or(metric)] = value.get<double>();
  }
}

void ProfileFacts::take_set_done(const Json& json) {
  const auto set = integer_of(json, "set_done");
  const auto known = set ? sets.find(*set) : sets.end();
  if (known == sets.end()) return lose(no_set);
  known->second.passes = small_of(json, "passes").value_or(1);
  known->second.arming_ns = count_of(json, "arming_ns");
  known->second.wall_ns = count_of(json, "wall_ns");
  known->second.launches = count_of(json, "launches").value_or(0);
  known->second.dropped = count_of(json, "dropped").value_or(0);
}

void ProfileFacts::take_launched(const Json& json, const Json& counts) {
  std::vector<std::int64_t> launches;
  for (const Json& item : counts.is_array() ? counts : Json::array()) {
    const auto count = integer_of(item);
    if (!count || *count < 0) return lose(bad_line);
    launches.push_back(*count);
  }
  launched = std::move(launches);
  launched_ns = count_of(json, "elapsed_ns").value_or(0);
  held_ns = count_of(json, "counting_ns").value_or(0);
}

bool ProfileFacts::take_of_samples(const Json& json) {
  if (const Json* const sampling = member(json, "sampling")) {
    samples.take_metrics(*sampling, [this](std::string_view what) { lose(what); });
  } else if (json.contains("sampling_window_ns")) {
    const auto ns = count_of(json, "sampling_window_ns");
    ns ? samples.take_window(*ns) : lose(bad_line);
  } else if (json.contains("gpm")) {
    const auto shares = numbers_of(json, "gpm");
    if (!shares || !samples.take_gpm(*shares)) lose(bad_line);
  } else {
    return false;
  }
  return true;
}

void ProfileFacts::take_message(const Json& json) {
  const auto launch = integer_of(json, "launch");
  const auto elements = count_of(json, "elements");
  const auto ranks = count_of(json, "ranks");
  if (!launch || !elements || !ranks) return lose(bad_line);
  record::CommunicationEvent message;
  message.collective = text_of(json, "message");
  message.dtype = text_of(json, "type");
  message.elements_in = message.elements_out = *elements;
  if (*ranks > 0) message.group_size = *ranks;
  message.on_device = true;
  const auto [known, is_new] = messages.try_emplace(*launch, KernelMessages{message});
  if (is_new) return;
  record::CommunicationEvent& sum = known->second.sum;
  known->second.are_alike = known->second.are_alike && sum.collective == message.collective &&
                            sum.dtype == message.dtype && sum.group_size == message.group_size;
  if (__builtin_add_overflow(sum.elements_in, *elements, &sum.elements_in)) return lose(bad_line);
  sum.elements_out = sum.elements_in;
}

void ProfileFacts::take_device(const Json& json) {
  const auto index = small_of(json, "device");
  if (!index) return lose(bad_line);
  profile::ProfileDevice device;
  device.index = *index;
  device.name = text_of(json, "name");
  device.uuid = text_of(json, "uuid");
  device.chip = text_of(json, "chip");
  device.compute_capability = text_of(json, "compute_capability");
  device.multiprocessors = small_of(json, "multiprocessors");
  device.memory_bytes = count_of(json, "memory_bytes");
  device.driver = text_of(json, "driver");
  // Said again where more is known of it.
  std::erase_if(devices,
                [&](const profile::ProfileDevice& each) { return each.index == device.index; });
  devices.push_back(std::move(device));
}

// A signature is repeated when more is known about it; another process' copy of a name is the same.
void ProfileFacts::take_signature(const Json& json) {
  const auto id = id_of(json.at("kernel"));
  const auto grid = extent_of(json, "grid");
  const auto block = extent_of(json, "block");
  const Json* const name = member(json, "name");
  if (!id || !grid || !block || name == nullptr || !name->is_string()) return lose(bad_line);
  const auto mangled = name->get<std::string>();
  KernelSignature signature;
  signature.name = names.intern(readable_kernel_name(mangled));
  signature.grid = *grid;
  signature.block = *block;
  signature.registers = count_of(json, "registers");
  signature.shared_bytes = count_of(json, "shared");
  const std::string identity =
      format("{} {} {} {} {} {} {} {}", (*grid)[0], (*grid)[1], (*grid)[2], (*block)[0],
             (*block)[1], (*block)[2], count_of(json, "dynamic").value_or(0), mangled);
  signature.like = first_like_.try_emplace(identity, *id).first->second;
  signatures_.insert_or_assign(*id, signature);
}

void ProfileFacts::take_set(const Json& json) {
  const auto index = integer_of(json, "set");
  const Json* const metrics = member(json, "metrics");
  if (!index || metrics == nullptr || !metrics->is_array()) return lose(bad_line);
  FactsOfSet set;
  set.metrics = texts_of(json, "metrics");
  if (set.metrics.size() != metrics->size()) return lose(bad_line);
  const auto unit = from_name<profile::CountedUnit>(text_of(json, "per"));
  if (!unit) return lose(bad_line);
  set.unit = *unit;
  set.of_step = !sequence.empty();
  sets.insert_or_assign(*index, std::move(set));
}

void ProfileFacts::take_totals(const Json& json) {
  const auto index = integer_of(json, "set");
  auto values = numbers_of(json, "totals");
  const auto set = index ? sets.find(*index) : sets.end();
  if (set == sets.end()) return lose(no_set);
  if (!values || values->size() != set->second.metrics.size()) return lose(bad_line);
  set->second.totals.push_back(std::move(*values));
}

}  // namespace rooflab::counters
