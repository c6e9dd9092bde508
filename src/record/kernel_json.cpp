#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "describe/field_table.hpp"
#include "record_json.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::record {
namespace {

// ---- figures --------------------------------------------------------------------------------

constexpr bool stands_in_json(const KernelFigureFacts& facts) {
  return facts.shown != Shown::never;
}
constexpr bool stands_in_launch(const KernelFigureFacts& facts) {
  return facts.shown == Shown::always;
}

/// The figures of which `chosen` is true, in their order.
template <auto chosen>
constexpr auto figures = [] {
  std::array<KernelFigure, std::ranges::count_if(kernel_figure_facts, chosen)> found{};
  std::size_t end = 0;
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (chosen(facts_of(figure))) found[end++] = figure;
  }
  return found;
}();

template <KernelFigure figure>
std::optional<double> figure_of(const KernelSums& sums) {
  return sums.at(figure);
}
/// A sum, mean or ratio as if one launch had it: `coverage`, which comes later, says how many have.
template <KernelFigure figure>
void read_figure(KernelSums& sums, const JsonValue& from) {
  FoldedFigure& folded = sums.figures[static_cast<std::size_t>(figure)];
  folded.last = from.number();
  folded.sum = static_cast<long double>(folded.last);
  folded.weight = 1.0L;
  folded.count = sums.launches;
}

template <KernelFigure figure>
std::optional<double> figure_in(const KernelEntry& entry) {
  return entry.sums.at(figure);
}

/// Counts are whole, also where they are kept as a double.
Json counts_json(const std::map<KernelFigure, double>& counts) {
  Json json = Json::object();
  for (const auto& [figure, value] : counts) json[name_of(figure)] = count_json(value);
  return json;
}

Json tensor_by_type(const KernelSums& sums) { return counts_json(sums.tensor_by_type()); }

void read_tensor_by_type(KernelSums& sums, const JsonValue& from) {
  std::map<KernelFigure, double> types;
  codec::decode(types, from);
  for (const auto& [type, operations] : types) {
    FoldedFigure& folded = sums.figures[static_cast<std::size_t>(type)];
    folded.sum = static_cast<long double>(operations);
    folded.last = operations;
    folded.count = sums.launches;
  }
}

void read_coverage(KernelSums& sums, const JsonValue& from) {
  std::map<KernelFigure, double> shares;
  codec::decode(shares, from);
  for (const auto& [figure, share] : shares) {
    FoldedFigure& folded = sums.figures[static_cast<std::size_t>(figure)];
    const double launches = share * static_cast<double>(sums.launches);
    if (folded.count > 0) folded.count = static_cast<std::size_t>(std::lround(launches));
  }
}

std::map<std::string, double> coverage_of(const KernelSums& sums) { return sums.coverage(); }

Json counters_of(const KernelEntry& entry) { return counts_json(entry.counters); }
void read_counters(KernelEntry& entry, const JsonValue& from) {
  codec::decode(entry.counters, from);
}

template <std::size_t... place>
constexpr auto sum_fields(std::index_sequence<place...>) {
  constexpr auto& shown = figures<&stands_in_json>;
  return std::to_array<Field>(
      {field<&KernelSums::launches>("launches"),
       field<&figure_of<shown[place]>, &read_figure<shown[place]>>(facts_of(shown[place]).word)...,
       field<&KernelSums::flop_is_bound>("flop_is_bound"),
       field<&KernelSums::flop_lacks>("flop_lacks"),
       field<&tensor_by_type, &read_tensor_by_type>("tensor_by_type"),
       field<&coverage_of, &read_coverage>("coverage")});
}

// ---- launches -------------------------------------------------------------------------------

/// nullopt: the tool did not say.
template <Extent KernelLaunch::*extent>
std::optional<Extent> extent_of(const KernelEntry& entry) {
  const Extent& value = entry.launch.*extent;
  return value == Extent{} ? std::nullopt : std::optional(value);
}

template <Extent KernelLaunch::*extent>
void read_extent(KernelEntry& entry, const JsonValue& from) {
  codec::decode(entry.launch.*extent, from);
}

std::optional<std::int64_t> external_id_of(const KernelEntry& entry) {
  const std::int64_t id = entry.launch.external_id;
  return id == 0 ? std::nullopt : std::optional(id);
}

void read_external_id(KernelEntry& entry, const JsonValue& from) {
  codec::decode(entry.launch.external_id, from);
}

/// Kernels of which it is true are not among those that compute in fp16.
std::optional<double> moves_of(const KernelEntry& entry) {
  const std::optional<double> moves = entry.sums.at(KernelFigure::fp16_move_flops);
  return moves > 0.0 ? moves : std::nullopt;
}

template <std::size_t... place>
constexpr auto launch_fields(std::index_sequence<place...>) {
  constexpr auto& shown = figures<&stands_in_launch>;
  return std::to_array<Field>(
      {field<&KernelEntry::name>("name"), field<&KernelEntry::process>("process"),
       field<Within{&KernelEntry::launch, &KernelLaunch::launch}>("launch_id"),
       field<Within{&KernelEntry::launch, &KernelLaunch::device}>("device"),
       field<Within{&KernelEntry::launch, &KernelLaunch::stream}>("stream"),
       field<&extent_of<&KernelLaunch::grid>, &read_extent<&KernelLaunch::grid>>("grid"),
       field<&extent_of<&KernelLaunch::block>, &read_extent<&KernelLaunch::block>>("block"),
       field<Within{&KernelEntry::launch, &KernelLaunch::start_ns}>("start_ns").sparse(),
       field<&external_id_of, &read_external_id>("external_id").sparse(),
       field<&KernelEntry::summed>("summed_launches").sparse(),
       field<&figure_in<shown[place]>>(facts_of(shown[place]).word).sparse()...,
       field<&moves_of>("fp16_move_flop").sparse(),
       field<&counters_of, &read_counters>("raw_counters")
           .typed(&codec::schema_of<std::map<std::string, double>>)});
}

}  // namespace

std::span<const Field> fields_of(For<KernelSums>) {
  static constexpr auto fields =
      sum_fields(std::make_index_sequence<figures<&stands_in_json>.size()>());
  return fields;
}

std::span<const Field> fields_of(For<SummedLaunches>) {
  static constexpr Field fields[] = {field<&SummedLaunches::launches>("launches"),
                                     field<&SummedLaunches::shortest_s>("shortest_s"),
                                     field<&SummedLaunches::longest_s>("longest_s")};
  return fields;
}

std::span<const Field> fields_of(For<KernelEntry>) {
  static constexpr auto fields =
      launch_fields(std::make_index_sequence<figures<&stands_in_launch>.size()>());
  return fields;
}

KernelEntry::KernelEntry(const KernelTable& kernels, std::size_t row, bool tensor_cores)
    : name(kernels.name(row)),
      process(kernels.process(row)),
      launch(kernels.launch(row)),
      summed(kernels.summed(row)),
      sums{.tensor_cores = tensor_cores} {
  sums.add(kernels, row);
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (const auto value = kernels.at(figure, row)) counters[figure] = *value;
  }
}

Json kernel_json(const KernelTable& kernels, std::size_t row, bool tensor_cores) {
  return to_json(KernelEntry(kernels, row, tensor_cores));
}

void add_entry(KernelTable& kernels, const KernelEntry& entry) {
  KernelLaunch launch = entry.launch;
  launch.name = kernels.names.intern(entry.name);
  launch.process = kernels.processes.intern(entry.process);
  const std::size_t row = kernels.add(launch);
  if (entry.summed) kernels.set_summed(row, *entry.summed);
  for (const auto& [figure, value] : entry.counters) {
    if (!is_derived(figure)) kernels.set(figure, row, value);
  }
}

}  // namespace rooflab::record
