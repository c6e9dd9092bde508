// A roofline without counters.
//
// A point is an op of the framework: the FLOPs and compulsory bytes of its calls, which follow from
// the shapes of its tensors, over the time of the kernels that the calls launched.
//
//     FLOP/s = modelled FLOPs / time     FLOP/B = modelled FLOPs / compulsory bytes
//
// Kernels without an op and ops without a rule are not known, and not zero: they have a row or are
// missing in the shares, and no point. A sum over ops has those alone whose FLOPs and bytes are
// known. With counters, a ratio compares the same kernels only.
//
// When it is wrong: an algorithm that does less arithmetic than the direct one (Winograd) reaches
// more than the peak; a cache that saves traffic lifts a point above the memory's slope; padding
// and operands that are read twice are work that is not seen. Most vector ops move more bytes than
// FLOPs suggest, but not fewer than their operands.

#include "rooflab/analyze/modelled_ops.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "describe/field_table.hpp"

namespace rooflab::analyze {
namespace {

std::optional<RoofPlace> place_of(const ModelledOpRow& row,
                                  const std::optional<device::Device>& device) {
  const std::optional<double> reached = row.flops_per_s();
  if (reached.value_or(0.0) <= 0.0) return std::nullopt;
  return roof_place_of(device, row.path, row.intensity(), reached);
}

/// A ratio of sums over the rows that have both.
std::optional<double> ratio(std::span<const ModelledOpRow> rows,
                            std::optional<double> ModelledOpRow::*counted,
                            std::optional<double> ModelledOpRow::*modelled) {
  double above = 0.0;
  double below = 0.0;
  for (const ModelledOpRow& row : rows) {
    if (!(row.*counted) || !(row.*modelled)) continue;
    above += *(row.*counted);
    below += *(row.*modelled);
  }
  return quotient(above, below);
}

/// Shares, places, sums, and the order; `named_s` is the time of kernels of a known op.
ModelledOps finished(std::vector<ModelledOpRow> rows, double launches,
                     const std::optional<double>& time_s, const std::optional<double>& named_s,
                     const std::optional<device::Device>& device) {
  ModelledOps all;
  all.launches = launches;
  all.time_s = time_s;
  all.op_share = quotient(named_s, time_s);
  ModelledOpRow& sum = all.modelled;
  sum.time_s = sum.flops = sum.bytes = 0.0;
  for (ModelledOpRow& row : rows) {
    row.time_share = quotient(row.time_s, time_s);
    row.roof_place = place_of(row, device);
    if (!row.flops || !row.bytes || !row.time_s) continue;
    sum.calls += row.calls;
    sum.launches += row.launches;
    add_part(sum.time_s, row.time_s);
    add_part(sum.flops, row.flops);
    add_part(sum.bytes, row.bytes);
    if (row.path) all.paths.insert(*row.path);
  }
  all.modelled_share = sum.time_share = quotient(sum.time_s, time_s);
  all.flop_ratio = ratio(rows, &ModelledOpRow::counted_flops, &ModelledOpRow::flops);
  all.bytes_ratio = ratio(rows, &ModelledOpRow::counted_bytes, &ModelledOpRow::bytes);
  std::ranges::stable_sort(rows, std::ranges::greater(), &ModelledOpRow::time_s);
  all.ops = std::move(rows);
  return all;
}

/// Classes of modules with their time.
using Modules = std::map<std::string, double>;

std::string text_of(const Modules& modules) {
  constexpr std::size_t most = 2;
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [name, time_s] : modules) {
    if (!name.empty()) sorted.emplace_back(-time_s, name);
  }
  std::ranges::sort(sorted);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) names.push_back(sorted[i].second);
  if (sorted.size() > most) names.push_back(format("{} more", sorted.size() - most));
  return join(names, ", ");
}

}  // namespace

ModelledOps modelled_ops_of(const record::ModelledStep& step,
                            const std::optional<device::Device>& device) {
  std::vector<ModelledOpRow> rows;
  std::vector<Modules> modules;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::optional<double> named_s = 0.0;
  for (const record::ModelledOp& op : step.ops) {
    const auto [at, is_new] = known.try_emplace({op.op, op.pass}, rows.size());
    if (is_new) {
      ModelledOpRow& row = rows.emplace_back();
      row.op = op.op;
      row.pass = op.pass;
      row.time_s = row.flops = row.bytes = row.counted_flops = row.counted_bytes = 0.0;
      modules.emplace_back();
    }
    ModelledOpRow& row = rows[at->second];
    row.calls += static_cast<double>(op.calls);
    row.launches += static_cast<double>(op.launches);
    add_part(row.time_s, op.time_s);
    add_part(named_s, op.time_s);
    add_part(row.flops, op.flops);
    add_part(row.bytes, op.bytes);
    add_part(row.counted_flops, op.counted_flops);
    add_part(row.counted_bytes, op.counted_bytes);
    if (op.path) row.path = op.path;
    modules[at->second][op.module_class] += op.time_s.value_or(0.0);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].modules = text_of(modules[i]);
  ModelledOps all =
      finished(std::move(rows), static_cast<double>(step.launches), step.time_s, named_s, device);
  all.part_of_run = step.part_of_run;
  return all;
}

std::optional<ModelledOps> modelled_ops_of(const trace::TraceAnalysis& trace,
                                           const std::optional<device::Device>& device) {
  const trace::StepTables& tables = trace.step_tables;
  const bool any = std::ranges::any_of(tables.modelled_operators, [](const auto& row) {
    return row.flops.has_value() && row.device_ns > 0;
  });
  if (!any) return std::nullopt;
  const auto steps = static_cast<double>(tables.steps);
  const auto mean = [steps](const std::optional<double>& sum) {
    return sum ? std::optional(*sum / steps) : std::nullopt;
  };
  std::vector<ModelledOpRow> rows;
  std::set<ArithmeticPath> paths;
  double launches = 0.0;
  double named_s = 0.0;
  for (const trace::ModelledOperator& op : tables.modelled_operators) {
    ModelledOpRow row;
    row.op = op.name;
    row.calls = static_cast<double>(op.calls) / steps;
    row.launches = static_cast<double>(op.launches) / steps;
    row.time_s = static_cast<double>(op.device_ns) * 1e-9 / steps;
    row.flops = mean(op.flops);
    row.bytes = mean(op.bytes);
    launches += row.launches;
    if (device && op.types.size() == 1 && *op.types.begin() != DType::f32) {
      row.path = predict::matrix_path(*device, *op.types.begin(), Precision::fp32);
    }
    for (const DType type : op.types) {
      if (!device) break;
      // A trace does not tell whether fp32 data was multiplied as TF32.
      for (const Precision precision : {Precision::fp32, Precision::tf32}) {
        if (const auto path = predict::matrix_path(*device, type, precision)) paths.insert(*path);
      }
    }
    if (op.name.empty()) continue;  // what no operator launched
    named_s += *row.time_s;
    rows.push_back(std::move(row));
  }
  double time_s = 0.0;
  for (const trace::ModelledOperator& op : tables.modelled_operators) {
    time_s += static_cast<double>(op.device_ns) * 1e-9 / steps;
  }
  ModelledOps all = finished(std::move(rows), launches, time_s, named_s, device);
  all.paths = std::move(paths);
  return all;
}

RooflineSeries modelled_series(const ModelledOps& ops, const std::string& name) {
  RooflineSeries series{.name = name + ", by op", .kind = PointKind::timed, .network = name};
  series.point = "op";
  series.paths = ops.paths;
  double unknown = 0.0;
  for (const ModelledOpRow& row : ops.ops) {
    if (!row.flops || !row.bytes) {
      unknown += row.time_share.value_or(0.0);
      continue;
    }
    const std::string label =
        row.pass.empty() || row.pass == "forward" ? row.op : format("{} ({})", row.op, row.pass);
    if (!series.add(label, row.flops, row.bytes, row.time_s, row.time_share)) continue;
    RooflinePoint& point = series.points.back();
    point.launches = static_cast<std::int64_t>(row.launches);
    if (row.roof_place) point.bound = row.roof_place->bound;
  }
  unknown += 1.0 - ops.op_share.value_or(1.0);
  series.remark =
      "a point is an op: FLOPs and bytes are modelled from shapes, not counted; the time is that"
      " of its kernels";
  if (unknown > 0.0005) {
    series.remark +=
        format("; the work of {:.1f} % of the kernels' time is not known", unknown * 100.0);
  }
  return series;
}

std::span<const Field> fields_of(For<ModelledOpRow>) {
  static constexpr auto fields = field_table(
      members<&ModelledOpRow::op, &ModelledOpRow::pass, &ModelledOpRow::modules,
              &ModelledOpRow::calls, &ModelledOpRow::launches, &ModelledOpRow::time_s,
              &ModelledOpRow::time_share>,
      field<&ModelledOpRow::flops>("modelled_flop"),
      field<&ModelledOpRow::flops_per_s>("modelled_flop_per_s"),
      field<&ModelledOpRow::bytes>("modelled_bytes"),
      field<&ModelledOpRow::bytes_per_s>("modelled_bytes_per_s"),
      field<&ModelledOpRow::intensity>("modelled_intensity_flop_per_byte"),
      field<&ModelledOpRow::counted_flops>("counted_flop").sparse(),
      field<&ModelledOpRow::counted_bytes>("counted_bytes").sparse(),
      field<&ModelledOpRow::path>("arithmetic_path"), field<&ModelledOpRow::roof_place>().sparse());
  return fields;
}

std::span<const Field> fields_of(For<ModelledOps>) {
  static constexpr auto fields =
      field_table(members<&ModelledOps::launches, &ModelledOps::time_s, &ModelledOps::op_share,
                          &ModelledOps::modelled_share>,
                  field<&ModelledOps::part_of_run>().sparse(),
                  field<&ModelledOps::flop_ratio>("counted_over_modelled_flop").sparse(),
                  field<&ModelledOps::bytes_ratio>("counted_over_modelled_bytes").sparse(),
                  field<&ModelledOps::modelled>("modelled_sum"), members<&ModelledOps::ops>);
  return fields;
}

}  // namespace rooflab::analyze
