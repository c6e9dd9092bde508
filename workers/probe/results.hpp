#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/worker_probe.hpp"

namespace rooflab::probe_worker {

/// Measurements, which are appended to the results file at once, line by line:
///
///     {"environment": {"driver": "580.65.06", ...}}    later lines add to and replace earlier keys
///     {"figure": {...}}   {"vector_addition": {...}}   {"note": {...}}   {"part_done": "launch"}
///
/// It starts with the results that the file already has, so that nothing is measured twice.
class Results {
 public:
  /// Opens a file. Throws Error (input) when it cannot be read or written.
  explicit Results(const std::filesystem::path& file);

  [[nodiscard]] bool part_done(const std::string& part) const { return done_.contains(part); }
  [[nodiscard]] const device::MeasuredFigure* find(std::string_view name) const;
  [[nodiscard]] bool has(const device::VectorAddition& row) const;  ///< one of the same settings

  void environment(const std::map<std::string, std::string>& strings);
  void figure(const device::MeasuredFigure& figure);
  void vector_addition(const device::VectorAddition& row);
  void note(const Note& note);  ///< adds a note once
  void finish_part(const std::string& part);

 private:
  engine::ProbeJournal journal_;
  std::vector<device::MeasuredFigure> figures_;
  std::vector<device::VectorAddition> vector_additions_;
  std::vector<Note> notes_;
  std::set<std::string> done_;
};

}  // namespace rooflab::probe_worker
