// The table of hardware metrics.
//
// A metric's name is UNIT__BASE.ROLLUP[.SUBMETRIC]. `.sum` adds up over all units of the chip. The
// CUDA cores' counters exist for a multiprocessor (sm__) and for each of its four partitions
// (smsp__) and have the same sum. Two things are not what they seem:
//
//  - sm__ops_path_tensor_src_X holds all operations with inputs X; op_hmma_src_X and op_hgmma_src_X
//    are parts of it. Adding both counts the work twice.
//  - derived__smsp__..._ffma_pred_on_x2 is the achieved rate a cycle, times 2. The same name with
//    derived__sm__ is the peak.

#include "counter_metric.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "base/format.hpp"

namespace rooflab::record {
namespace {

/// Where a metric is counted.
enum class Company : std::uint8_t {
  other,   ///< where a plan names it, or nowhere
  beside,  ///< together with bytes of DRAM and FLOPs: one of state_metrics()
  apart,   ///< in a configuration without others: one of apart_metrics_of()
  told,    ///< only read, where someone collected it: no measure of work
};

struct Row {
  std::string_view unit;  ///< where `total` is summed; `sm` stands for smsp too and the reverse
  std::string_view base;
  KernelFigure figure;
  MetricDimension dimension = MetricDimension::count;
  std::string_view rollup = ".sum";
  MetricForm form = MetricForm::total;
  Company company = Company::other;
};

constexpr auto rows = [] {
  using enum KernelFigure;
  using enum MetricDimension;
  using enum MetricForm;
  using enum Company;
  return std::to_array<Row>({
      {"gpu", "time_duration", time_s, time},
      {"dram", "bytes_read", dram_read_bytes, bytes},
      {"dram", "bytes_write", dram_write_bytes, bytes},
      {"dram", "bytes", dram_bytes, bytes},
      // GB20x has these instead.
      {"dram", "bytes_op_read", dram_read_bytes, bytes, ".sum", total_elsewhere},
      {"dram", "bytes_op_write", dram_write_bytes, bytes, ".sum", total_elsewhere},
      {"smsp", "sass_thread_inst_executed_op_dadd_pred_on", dadd},
      {"smsp", "sass_thread_inst_executed_op_dmul_pred_on", dmul},
      {"smsp", "sass_thread_inst_executed_op_dfma_pred_on", dfma},
      {"smsp", "sass_thread_inst_executed_op_fadd_pred_on", fadd},
      {"smsp", "sass_thread_inst_executed_op_fmul_pred_on", fmul},
      {"smsp", "sass_thread_inst_executed_op_ffma_pred_on", ffma},
      {"smsp", "sass_thread_inst_executed_op_hadd_pred_on", hadd},
      {"smsp", "sass_thread_inst_executed_op_hmul_pred_on", hmul},
      {"smsp", "sass_thread_inst_executed_op_hfma_pred_on", hfma},
      {"smsp", "sass_thread_inst_executed_op_fadd2_pred_on", fadd2},
      {"smsp", "sass_thread_inst_executed_op_fmul2_pred_on", fmul2},
      {"smsp", "sass_thread_inst_executed_op_ffma2_pred_on", ffma2},
      {"smsp", "sass_thread_inst_executed_op_fp64_pred_on", fp64_instructions, count, ".sum", total,
       told},
      {"smsp", "sass_thread_inst_executed_op_fp32_pred_on", fp32_instructions, count, ".sum", total,
       told},
      {"smsp", "sass_thread_inst_executed_op_fp16_pred_on", fp16_instructions, count, ".sum", total,
       told},
      {"sm", "ops_path_tensor_src_fp64", tensor_fp64},
      {"sm", "ops_path_tensor_src_tf32_dst_fp32", tensor_tf32},
      {"sm", "ops_path_tensor_src_bf16_dst_fp32", tensor_bf16},
      {"sm", "ops_path_tensor_src_fp16", tensor_fp16},
      {"sm", "ops_path_tensor_src_fp16_dst_fp32", tensor_fp16},
      {"sm", "ops_path_tensor_src_fp16_dst_fp16", tensor_fp16_fp16},
      {"sm", "ops_path_tensor_src_fp16_bf16_tf32_dst_fp32", tensor_fp16_bf16_tf32},
      {"sm", "ops_path_tensor_src_fp8", tensor_fp8},
      {"sm", "ops_path_tensor_src_fp8_dst_fp16", tensor_fp8},
      {"sm", "ops_path_tensor_src_fp8_dst_fp32", tensor_fp8},
      {"sm", "ops_path_tensor_src_fp4_fp6_fp8_dst_fp16", tensor_fp8},
      {"sm", "ops_path_tensor_src_fp4_fp6_fp8_dst_fp32", tensor_fp8},
      {"sm", "ops_path_tensor_src_fp4_fp6_dst_fp16", tensor_fp4},
      {"sm", "ops_path_tensor_src_fp4_fp6_dst_fp32", tensor_fp4},
      {"sm", "ops_path_tensor_src_fp4_dst_fp32", tensor_fp4},
      {"sm", "ops_path_tensor_src_int8", tensor_int8},
      {"sm", "ops_path_tensor_src_int4", tensor_int4},
      {"sm", "ops_path_tensor_src_int1", tensor_int1},
      {"sm", "inst_executed_pipe_tensor", tensor_pipe_instructions},
      {"sm", "inst_executed_pipe_tensor_op_hmma_type_hfma2", tensor_pipe_moves},
      {"lts", "t_bytes", l2_bytes, bytes, ".sum", total, beside},
      {"pcie", "read_bytes", pcie_bytes, bytes, ".sum", total, apart},
      {"pcie", "write_bytes", pcie_bytes, bytes, ".sum", total, apart},
      {"sm", "cycles_elapsed", sm_clock_hz, frequency, ".avg.per_second", total, beside},
      {"sm", "cycles_active", sm_busy, fraction, ".avg.pct_of_peak_sustained_elapsed", total,
       beside},
      {"sm", "warps_active", occupancy, fraction, ".avg.pct_of_peak_sustained_active", total,
       beside},
  });
}();

enum class DramNames : std::uint8_t {
  bytes_read,     ///< dram__bytes_read
  bytes_op_read,  ///< dram__bytes_op_read
  none,           ///< shares its memory with the CPU: no DRAM unit to ask
};

/// What differs between chips in the names of their metrics, as CUPTI lists them.
struct CounterChip {
  ComputeCapability capability;
  std::string_view name;  ///< CUPTI's; a digit that differs within the family is written `?`
  /// Metrics of its floating-point types: what follows `sm__ops_path_tensor_src_`.
  std::span<const std::string_view> tensor;
  bool packed_fp32 = false;
  DramNames dram = DramNames::bytes_read;
};

/// What follows `sm__ops_path_tensor_src_` in the names of its metrics.
template <std::size_t size>
using Tensor = std::array<std::string_view, size>;

constexpr Tensor<2> volta = {"fp16_dst_fp16", "fp16_dst_fp32"};
constexpr Tensor<2> turing = {"fp16_dst_fp16", "fp16_bf16_tf32_dst_fp32"};
constexpr Tensor<6> ada = {"fp16_dst_fp16", "fp16_dst_fp32", "bf16_dst_fp32",
                           "tf32_dst_fp32", "fp64",          "fp8"};
constexpr std::span ampere = std::span(ada).first<5>();
constexpr Tensor<5> hopper = {"fp16", "bf16_dst_fp32", "tf32_dst_fp32", "fp64", "fp8"};
constexpr Tensor<8> data_centre = {"fp16_dst_fp16",        "fp16_dst_fp32", "bf16_dst_fp32",
                                   "tf32_dst_fp32",        "fp64",          "fp4_fp6_fp8_dst_fp16",
                                   "fp4_fp6_fp8_dst_fp32", "fp4_dst_fp32"};
constexpr Tensor<10> blackwell = {
    "fp16_dst_fp16", "fp16_dst_fp32", "bf16_dst_fp32",    "tf32_dst_fp32",    "fp64",
    "fp8_dst_fp16",  "fp8_dst_fp32",  "fp4_fp6_dst_fp16", "fp4_fp6_dst_fp32", "fp4_dst_fp32"};

constexpr auto chips = std::to_array<CounterChip>({
    {{7, 0}, "GV100", volta},
    {{7, 5}, "TU116", {}},  // no tensor cores
    {{7, 5}, "TU117", {}},
    {{7, 5}, "TU10?", turing},
    {{8, 0}, "GA100", ampere},
    {{8, 7}, "GA10B", ampere, false, DramNames::none},
    {{8, 6}, "GA10?", ampere},
    {{8, 9}, "AD10?", ada},
    {{9, 0}, "GH100", hopper},
    {{10, 0}, "GB100", data_centre, true},
    {{10, 0}, "GB102", data_centre, true},
    {{10, 3}, "GB110", blackwell, true},
    {{11, 0}, "GB10B", data_centre, false, DramNames::none},  // 10.1 until CUDA 12.9
    {{12, 0}, "GB20?", blackwell, false, DramNames::bytes_op_read},
    {{12, 1}, "GB20B", blackwell, false, DramNames::none},
});

bool matches(std::string_view name, std::string_view pattern) {
  return std::ranges::equal(name, pattern, [](char letter, char expected) {
    return letter == expected || (expected == '?' && is_digit(letter));
  });
}

/// A chip that is not in the table has the other metrics' most frequent names.
const CounterChip& counter_chip(std::string_view name) {
  static constexpr CounterChip unknown;
  const auto* const found = std::ranges::find_if(
      chips, [&](const CounterChip& chip) { return matches(name, chip.name); });
  return found == chips.end() ? unknown : *found;
}

/// The first of several chips, one with tensor cores; empty: not in the table.
std::string_view chip_of(ComputeCapability capability) {
  const auto* const found = std::ranges::find_if(chips, [&](const CounterChip& chip) {
    return chip.capability == capability && !chip.tensor.empty();
  });
  return found == chips.end() ? "" : found->name;
}

constexpr std::string_view tensor = "sm__ops_path_tensor_src_";

bool is_multiprocessor(std::string_view unit) { return unit == "sm" || unit == "smsp"; }

/// What follows the rollup; nullopt: something that holds no count.
std::optional<MetricForm> form_of(std::string_view submetric, bool multiprocessor) {
  if (submetric.empty()) return MetricForm::total;
  if (submetric == ".per_second") return MetricForm::per_second;
  // Cycles of other units (DRAM, L2) run at other clocks.
  if (submetric == ".per_cycle_elapsed" && multiprocessor) return MetricForm::per_cycle;
  return std::nullopt;
}

/// `sass_..._op_ffma_pred_on_x2`, what follows `derived__smsp__`.
std::optional<CounterMetric> derived_metric(std::string_view name) {
  if (name.size() < 3 || name[name.size() - 3] != '_' || name[name.size() - 2] != 'x') {
    return std::nullopt;
  }
  const int weight = name.back() - '0';
  const std::string_view base = name.substr(0, name.size() - 3);
  const auto* const row = std::ranges::find(rows, base, &Row::base);
  if (row == rows.end() || row->unit != "smsp" || weight < 1 || weight > 9) return std::nullopt;
  return CounterMetric{row->figure, row->dimension, MetricForm::per_cycle_derived, 1.0 / weight,
                       row->base};
}

std::vector<std::string> metrics_in(Company company) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (row.company == company) names.push_back(format("{}__{}{}", row.unit, row.base, row.rollup));
  }
  return names;
}

}  // namespace

std::optional<CounterMetric> counter_metric(std::string_view name) {
  constexpr std::string_view achieved = "derived__smsp__";
  if (name.starts_with(achieved)) return derived_metric(name.substr(achieved.size()));
  const std::size_t mark = name.find("__");
  const std::size_t dot = name.find('.');
  if (mark == std::string_view::npos || dot == std::string_view::npos || dot < mark + 2) {
    return std::nullopt;
  }
  const std::string_view unit = name.substr(0, mark);
  const std::string_view base = name.substr(mark + 2, dot - mark - 2);
  const std::string_view rollup = name.substr(dot);
  for (const Row& row : rows) {
    if (row.base != base || !rollup.starts_with(row.rollup)) continue;
    const bool multiprocessor = is_multiprocessor(row.unit);
    if (unit != row.unit && !(multiprocessor && is_multiprocessor(unit))) continue;
    std::optional<MetricForm> form = form_of(rollup.substr(row.rollup.size()), multiprocessor);
    if (!form) return std::nullopt;
    // A clock or a share has no rate.
    if (*form != MetricForm::total && row.rollup != ".sum") return std::nullopt;
    if (*form == MetricForm::total) {
      form = unit == row.unit ? row.form : MetricForm::total_elsewhere;
    } else if (row.dimension == MetricDimension::time) {
      return std::nullopt;
    }
    return CounterMetric{row.figure, row.dimension, *form, 1.0, row.base};
  }
  return std::nullopt;
}

std::optional<ComputeCapability> compute_capability_from(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> major = parse_integer(text.substr(0, dot));
  const std::optional<std::int64_t> minor = parse_integer(text.substr(dot + 1));
  if (!major || !minor || *major < 1 || *major > 99 || *minor < 0 || *minor > 9) {
    return std::nullopt;
  }
  return ComputeCapability{static_cast<int>(*major), static_cast<int>(*minor)};
}

bool may_have_tensor_cores(const std::optional<std::string>& capability) {
  const auto known = capability ? compute_capability_from(*capability) : std::nullopt;
  return !known || has_tensor_cores(*known);
}

bool has_tensor_cores(ComputeCapability capability) { return capability.major >= 7; }

bool serves_tensor_cores(ComputeCapability capability, Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return false;
    case Precision::fp16:
    case Precision::amp:  // fp16 without bf16
    case Precision::amp_fp16:
      return capability.major >= 7;
    case Precision::fp64:
    case Precision::tf32:
    case Precision::bf16:
    case Precision::amp_bf16:
    case Precision::fp8:
      break;
    case Precision::int8:
    case Precision::mixed:  // fp16 may be among the types
      return capability.major >= 7;
  }
  return capability.major >= 8;
}

std::vector<std::string> expected_metrics() {
  std::vector<std::string> names = {"gpu__time_duration.sum"};
  std::ranges::move(dram_metrics_of(""), std::back_inserter(names));
  std::ranges::move(core_metrics_of(""), std::back_inserter(names));
  return names;
}

std::vector<std::string> tensor_metrics_of(ComputeCapability capability) {
  return tensor_metrics_of(chip_of(capability));
}

bool is_known_chip(std::string_view chip) { return !counter_chip(chip).name.empty(); }

std::vector<std::string> dram_metrics_of(std::string_view chip) {
  switch (counter_chip(chip).dram) {
    case DramNames::bytes_read:
      return {"dram__bytes_read.sum", "dram__bytes_write.sum"};
    case DramNames::bytes_op_read:
      return {"dram__bytes_op_read.sum", "dram__bytes_op_write.sum"};
    case DramNames::none:
      break;
  }
  return {};
}

std::vector<std::string> core_metrics_of(std::string_view chip) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    const bool packed = row.figure >= KernelFigure::fadd2 && row.figure <= KernelFigure::ffma2;
    if (row.unit == "smsp" && row.company != Company::told &&
        (!packed || counter_chip(chip).packed_fp32)) {
      names.push_back(format("smsp__{}.sum", row.base));
    }
  }
  return names;
}

std::vector<std::string> state_metrics() { return metrics_in(Company::beside); }

std::vector<std::string> apart_metrics_of(std::string_view chip) {
  if (counter_chip(chip).dram == DramNames::none) return {};
  return metrics_in(Company::apart);
}

std::vector<std::string> tensor_metrics_of(std::string_view chip) {
  std::vector<std::string> names;
  for (const std::string_view each : counter_chip(chip).tensor) {
    names.push_back(format("{}{}", tensor, each));
  }
  return names;
}

std::string metric_of(KernelFigure figure) {
  const auto* const row = std::ranges::find(rows, figure, &Row::figure);
  return format("{}__{}{}", row->unit, row->base, row->rollup);
}

bool tensor_pipe_tells(std::string_view chip) {
  constexpr std::array<std::string_view, 4> families = {"GV100", "TU10?", "GA100", "GH100"};
  return std::ranges::any_of(families,
                             [&](std::string_view family) { return matches(chip, family); });
}

std::optional<KernelFigure> tensor_figure_of(std::string_view metric) {
  if (!metric.starts_with(tensor)) return std::nullopt;
  if (metric.ends_with(".sum")) metric.remove_suffix(4);
  const auto* const row = std::ranges::find(rows, metric.substr(4), &Row::base);  // without `sm__`
  return row == rows.end() ? std::nullopt : std::optional(row->figure);
}

std::vector<std::string> collection_metrics(ComputeCapability capability) {
  const std::string_view chip = chip_of(capability);
  std::vector<std::string> names = {"gpu__time_duration.sum"};
  std::ranges::move(dram_metrics_of(chip), std::back_inserter(names));
  std::ranges::move(core_metrics_of(chip), std::back_inserter(names));
  for (const std::string& each : tensor_metrics_of(chip)) names.push_back(each + ".sum");
  return names;
}

}  // namespace rooflab::record
