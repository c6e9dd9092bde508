#include "measured_programs.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "describe/json_fields.hpp"
#include "published_rows.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::accuracy {

std::vector<MeasuredProgram> measured_programs(const std::string& folder) {
  const std::string file = repository_path(folder + "measured.jsonl");
  std::vector<MeasuredProgram> programs;
  for (const std::string& line : split(read_file(file), '\n')) {
    if (line.empty()) continue;
    const Json json = parse_json(line, file);
    const JsonFields row(json, file);
    MeasuredProgram program;
    program.name = row.text("name");
    const std::string recording = row.has("recording") ? row.text("recording") : program.name;
    program.recording = repository_path(format("{}{}.rec.jsonl.gz", folder, recording));
    if (row.has("phase")) program.phase = row.text("phase");
    program.issued_by = row.has("issued_by") ? row.text("issued_by") : "pytorch";
    program.time_s = row.number("time_s");
    program.allocated_bytes = row.number("allocated_peak_bytes");
    program.reserved_bytes = row.number("reserved_peak_bytes");
    if (row.has("kv_cache_bytes")) program.kv_cache_bytes = row.number("kv_cache_bytes");
    programs.push_back(std::move(program));
  }
  return programs;
}

void ProgramErrors::add(double predicted, double measured, const std::string& program) {
  const double error = predicted / measured - 1.0;
  errors_.push_back(std::abs(error));
  if (std::abs(error) <= std::abs(worst_)) return;
  worst_ = error;
  worst_program_ = program;
}

double ProgramErrors::mean() const {
  double sum = 0.0;
  for (const double each : errors_) sum += each;
  return sum / static_cast<double>(errors_.size());
}

double ProgramErrors::median() const {
  std::vector<double> sorted = errors_;
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

std::string ProgramErrors::line() const {
  return format("| {} | {} | {:.1f} % | {:.1f} % | {:+.1f} % ({}) |\n", figure_, errors_.size(),
                100.0 * mean(), 100.0 * median(), 100.0 * worst_, worst_program_);
}

std::string ProgramErrors::header() {
  return "| figure | programs | mean error | median | worst |\n"
         "| --- | --: | --: | --: | --: |\n";
}

}  // namespace rooflab::accuracy
