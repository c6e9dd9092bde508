#pragma once

#include <string>
#include <vector>

namespace rooflab::accuracy {

/// A row of tools/gpu/record_programs.py or generation.py.
struct MeasuredProgram {
  std::string name;
  std::string recording;  ///< its file
  std::string phase;      ///< `prefill`, `decode`, `inference`; empty: not stated
  std::string issued_by;  ///< `pytorch` or `graph`
  double time_s = 0.0;
  double allocated_bytes = 0.0;
  double reserved_bytes = 0.0;
  double kv_cache_bytes = 0.0;  ///< 0: the program has no cache
};

/// The rows of `measured.jsonl` in a folder of the repository, whose recordings lie next to it.
[[nodiscard]] std::vector<MeasuredProgram> measured_programs(const std::string& folder);

/// Errors of one figure over all programs.
class ProgramErrors {
 public:
  explicit ProgramErrors(std::string figure) : figure_(std::move(figure)) {}

  void add(double predicted, double measured, const std::string& program);
  [[nodiscard]] std::size_t count() const { return errors_.size(); }
  [[nodiscard]] double mean() const;
  [[nodiscard]] double median() const;
  /// A row of a table with the columns of `header()`.
  [[nodiscard]] std::string line() const;
  [[nodiscard]] static std::string header();

 private:
  std::string figure_;
  std::vector<double> errors_;
  double worst_ = 0.0;
  std::string worst_program_;
};

}  // namespace rooflab::accuracy
