#include "results.hpp"

#include <algorithm>

namespace rooflab::probe_worker {

using Line = engine::DeviceProbeLine;

Results::Results(const std::filesystem::path& file) : journal_(file) {
  for (Line& line : journal_.lines_as<Line>()) {
    if (line.figure) figures_.push_back(std::move(*line.figure));
    if (line.vector_addition) vector_additions_.push_back(std::move(*line.vector_addition));
    if (line.note) notes_.push_back(std::move(*line.note));
    if (line.part_done) done_.insert(std::move(*line.part_done));
  }
}

const device::MeasuredFigure* Results::find(std::string_view name) const {
  const auto found = std::find_if(figures_.begin(), figures_.end(),
                                  [&](const auto& figure) { return figure.name == name; });
  return found == figures_.end() ? nullptr : &*found;
}

bool Results::has(const device::VectorAddition& row) const {
  return std::any_of(vector_additions_.begin(), vector_additions_.end(), [&](const auto& known) {
    return known.launch == row.launch && known.memory == row.memory &&
           known.elements == row.elements;
  });
}

void Results::environment(const std::map<std::string, std::string>& strings) {
  if (!strings.empty()) journal_.append(Line{.environment = strings});
}

void Results::figure(const device::MeasuredFigure& figure) {
  journal_.append(Line{.figure = figure});
  figures_.push_back(figure);
}

void Results::vector_addition(const device::VectorAddition& row) {
  journal_.append(Line{.vector_addition = row});
  vector_additions_.push_back(row);
}

void Results::note(const Note& note) {
  if (std::ranges::find(notes_, note) != notes_.end()) return;
  journal_.append(Line{.note = note});
  notes_.push_back(note);
}

void Results::finish_part(const std::string& part) {
  journal_.append(Line{.part_done = part});
  done_.insert(part);
}

}  // namespace rooflab::probe_worker
