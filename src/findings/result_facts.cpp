#include "result_facts.hpp"

#include <algorithm>
#include <vector>

#include "base/shell_words.hpp"
#include "notes/analyze_notes.hpp"
#include "record/trace_source.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/kernel_name.hpp"
#include "tensor_paths.hpp"

namespace rooflab::findings {
namespace {

/// 0: a part of the ops is not counted, so their time is not the step's.
double sum_of_rows(const analyze::CaseResult& result) {
  const auto code = [](const Note& note) { return note.code; };
  if (std::ranges::find(result.notes, NoteCode(analyze::says.answer_not_counted), code) !=
      result.notes.end()) {
    return 0.0;
  }
  if (const auto time = result.predicted_time()) return time->value;
  return result.limit.time ? result.limit.time->value : 0.0;
}

std::optional<double> peak_of(const device::Device& device, ArithmeticPath path) {
  const auto found = device.peaks.find(path);
  return found == device.peaks.end() ? std::nullopt : std::optional(found->second.value);
}

/// Reads once what must be read, and does the matrix work on the units that advice names.
double floor_of(const analyze::CaseResult& result, double ideal_s) {
  const std::optional<FasterPath> faster = faster_than_fp32(result.device, std::nullopt);
  if (!faster) return ideal_s;
  const std::optional<double> fp32 = peak_of(result.device, ArithmeticPath::fp32_vector);
  if (!fp32 || !faster->ratio || !result.device.bandwidth) return 0.0;
  const predict::NetworkLimit& limit = result.limit;
  const double memory_s = limit.ideal_bytes.as_double() / result.device.bandwidth->value;
  const double matrix_s = limit.matrix_flops.as_double() / (*fp32 * std::max(1.0, *faster->ratio));
  return std::min(ideal_s, std::max({memory_s, matrix_s, limit.vector_flops.as_double() / *fp32}));
}

NetworkFacts facts_of(const analyze::CaseResult& result, double step_s, double scale,
                      std::string command) {
  NetworkFacts facts{
      .result = result, .step_s = step_s, .scale = scale, .command = std::move(command)};
  if (result.limit.ideal_time) facts.ideal_s = result.limit.ideal_time->value;
  facts.floor_s = facts.is_on_cuda_cores() ? floor_of(result, facts.ideal_s) : facts.ideal_s;
  return facts;
}

}  // namespace

std::string short_name(const std::string& kernel) {
  constexpr std::size_t most = 60;
  std::string name = record::short_kernel_name(kernel);
  if (name.size() <= most) return name;
  std::size_t end = most - 3;
  while (end > 0 && (name[end] & 0xC0) == 0x80) --end;  // not within a letter
  return name.substr(0, end) + "...";
}

void advise(Finding& finding, std::string command_line, std::vector<RequestChange> changes) {
  finding.command_line = std::move(command_line);
  finding.changes = std::move(changes);
}

RequestChange twice_the_batch(std::int64_t batch) {
  return {ChangedMember::batch, std::to_string(2 * batch), std::to_string(batch)};
}

double TraceFacts::kernels_left_s(const FindingList& found) const {
  double left_s = role_ns(trace::StepRole::kernel) * seconds_per_ns;
  for (const FindingKind kind :
       {FindingKind::layout_conversion, FindingKind::recomputation, FindingKind::cuda_core_products,
        FindingKind::short_kernels, FindingKind::small_batch, FindingKind::above_prediction}) {
    left_s -= found.worth_of(kind);
  }
  return std::max(0.0, left_s);
}

double NetworkFacts::above_ideal_s(double worth_s) const {
  return std::max(0.0, std::min(worth_s, step_s - ideal_s));
}

double NetworkFacts::take(const analyze::LayerRow& row, double time_s) const {
  double& taken = taken_s[&row];
  const double given_s = std::max(0.0, std::min(time_s, row_s(row) - taken));
  taken += given_s;
  return given_s;
}

double NetworkFacts::row_s(const analyze::LayerRow& row) const {
  const std::optional<Seconds>& time = result.has_interval() ? row.predicted : row.time;
  return time ? scale * time->value : 0.0;
}

double NetworkFacts::above_limit_s(const analyze::LayerRow& row) const {
  return row.time ? std::max(0.0, row_s(row) - row.time->value) : 0.0;
}

std::optional<double> NetworkFacts::peak(ArithmeticPath path) const {
  return peak_of(result.device, path);
}

std::optional<double> NetworkFacts::bandwidth() const {
  return result.device.bandwidth ? std::optional(result.device.bandwidth->value) : std::nullopt;
}

std::optional<double> NetworkFacts::gain(const std::optional<Seconds>& other) const {
  const std::optional<Seconds> time = result.predicted_time();
  if (!other || !time || time->value <= 0.0) return std::nullopt;
  return 1.0 - other->value / time->value;
}

void NetworkFacts::advise_twice_the_batch(Finding& finding) const {
  advise(finding, command, {twice_the_batch(result.batch)});
}

std::string NetworkFacts::module_of(const analyze::LayerRow& row) const {
  const bool is_path = std::ranges::all_of(row.name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  });
  return is_path ? row.name : std::string();
}

bool NetworkFacts::has_wide_data() const {
  return result.precision == Precision::fp64 || result.precision == Precision::fp32 ||
         result.precision == Precision::tf32;
}

bool NetworkFacts::is_on_cuda_cores() const {
  // TF32 on a device without it is FP32 on CUDA cores, too.
  return result.limit.main_path ? *result.limit.main_path == ArithmeticPath::fp32_vector
                                : result.precision == Precision::fp32;
}

std::optional<NetworkFacts> network_facts(const analyze::CaseResult& result) {
  const double sum_s = sum_of_rows(result);
  if (sum_s <= 0.0) return std::nullopt;
  // A recording is one step: no flag gives it another precision or layout, so no command tries one.
  return facts_of(result, sum_s, 1.0, result.recorded ? std::string() : result.command);
}

std::optional<NetworkFacts> network_facts(const analyze::MeasuredCase& measured) {
  if (!measured.model || !measured.median_s()) return std::nullopt;
  const double sum_s = sum_of_rows(*measured.model);
  if (sum_s <= 0.0) return std::nullopt;
  return facts_of(*measured.model, *measured.median_s(), *measured.median_s() / sum_s,
                  measured.record.identity.command);
}

bool may_be_of_pytorch(const record::Record& record) {
  if (!record.trace || !record::facts_of(*record.trace).any_program) return true;
  if (!record.kernels) return false;
  const record::NameTable& names = record.kernels->names;
  for (record::NameTable::Id id = 0; id < names.size(); ++id) {
    for (const std::string_view part : {"at::native::", "at_cuda_detail::", "triton_"}) {
      if (names[id].find(part) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace rooflab::findings
