#include "rooflab/record/kernel_json.hpp"

#include "rooflab/record/kernel_work.hpp"

namespace rooflab::record {
namespace {

Json extent_json(const Extent& extent) {
  if (extent == Extent{}) return nullptr;
  return Json::array({extent[0], extent[1], extent[2]});
}

Extent read_extent(const JsonFields& fields, std::string_view key) {
  if (!fields.has(key)) return {};
  const std::vector<double> numbers = fields.numbers(key);
  if (numbers.size() != 3) fields.fail(key, "must hold three numbers");
  Extent extent;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(numbers[i] >= 0.0) || numbers[i] > 4294967295.0) fields.fail(key, "is out of range");
    extent[i] = static_cast<std::uint32_t>(numbers[i]);
  }
  return extent;
}

/// Some kernel has a counter that work or traffic follows from; a trace's kernels have times only.
bool has_counters(const KernelTable& kernels) {
  constexpr auto first = static_cast<std::size_t>(KernelFigure::dram_read_bytes);
  constexpr auto last = static_cast<std::size_t>(KernelFigure::tensor_int1);
  for (std::size_t i = first; i <= last; ++i) {
    if (kernels.has(static_cast<KernelFigure>(i))) return true;
  }
  return false;
}

/// null: not known.
Json value_json(const KernelSums& sums, KernelFigure figure) {
  const std::optional<double> value = sums.at(figure);
  return facts_of(figure).fold == Fold::sum ? count_or_null(value) : json_or_null(value);
}

}  // namespace

Json kernel_json(const KernelTable& kernels, std::size_t row, bool tensor_cores) {
  const KernelLaunch launch = kernels.launch(row);
  Json json;
  json["name"] = kernels.names[launch.name];
  json["process"] = kernels.process(row);
  json["launch"] = launch.launch;
  json["device"] = launch.device;
  json["stream"] = launch.stream;
  json["grid"] = extent_json(launch.grid);
  json["block"] = extent_json(launch.block);
  if (launch.start_ns) json["start_ns"] = *launch.start_ns;
  if (launch.external_id != 0) json["external_id"] = launch.external_id;

  KernelSums sums{.tensor_cores = tensor_cores};
  sums.add(kernels, row);
  const bool counted = has_counters(kernels);
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (facts_of(figure).shown != Shown::always || !(sums.at(figure) || counted)) continue;
    json[name_of(figure)] = value_json(sums, figure);
  }
  if (sums.at(KernelFigure::fp16_move_flops).value_or(0.0) > 0.0) json["fp16_is_moves"] = true;

  Json& counters = json["counters"] = Json::object();
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (const auto value = kernels.at(figure, row)) counters[name_of(figure)] = count_json(*value);
  }
  return json;
}

void put_sums(Json& json, const KernelSums& sums) {
  json["kernels"] = sums.launches;
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const KernelFigureFacts& facts = facts_of(figure);
    if (facts.shown != Shown::never) json[facts.key] = value_json(sums, figure);
  }
  Json& types = json["tensor_by_type"] = Json::object();
  for (const auto& [type, operations] : sums.tensor_by_type()) {
    types[name_of(type)] = count_json(operations);
  }
}

KernelTable kernels_from_json(const std::vector<JsonFields>& entries) {
  KernelTable kernels;
  for (const JsonFields& fields : entries) {
    KernelLaunch launch;
    launch.name = kernels.names.intern(fields.text("name"));
    launch.process = kernels.processes.intern(fields.text("process"));
    launch.launch = fields.integer("launch");
    launch.device = fields.small_integer("device");
    launch.stream = fields.small_integer("stream");
    launch.grid = read_extent(fields, "grid");
    launch.block = read_extent(fields, "block");
    launch.start_ns = fields.optional_integer("start_ns");
    launch.external_id = fields.optional_integer("external_id").value_or(0);
    const std::size_t row = kernels.add(launch);
    const JsonFields counters = fields.object("counters");
    for (const KernelFigure figure : values_of<KernelFigure>) {
      if (is_derived(figure)) continue;
      if (const auto value = counters.optional_number(name_of(figure))) {
        kernels.set(figure, row, *value);
      }
    }
  }
  return kernels;
}

}  // namespace rooflab::record
