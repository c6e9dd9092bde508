#include "results.hpp"

#include <algorithm>

#include "rooflab/base/json_fields.hpp"

namespace rooflab::probe_worker {

Results::Results(const std::filesystem::path& file) : journal_(file) {
  const std::string name = file.string();
  for (const Json& line : journal_.lines()) {
    const JsonFields fields(line, name);
    if (fields.has("figure")) {
      figures_.push_back(engine::measured_figure_from_json(fields.value("figure"), name));
    }
    if (fields.has("vector_addition")) {
      vector_additions_.push_back(
          engine::vector_addition_from_json(fields.value("vector_addition"), name));
    }
    if (fields.has("note")) notes_.insert(fields.text("note"));
    if (fields.has("part_done")) done_.insert(fields.text("part_done"));
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
  if (!strings.empty()) journal_.append({{"environment", strings}});
}

void Results::figure(const device::MeasuredFigure& figure) {
  journal_.append({{"figure", engine::to_json(figure)}});
  figures_.push_back(figure);
}

void Results::vector_addition(const device::VectorAddition& row) {
  journal_.append({{"vector_addition", engine::to_json(row)}});
  vector_additions_.push_back(row);
}

void Results::note(const std::string& sentence) {
  if (notes_.insert(sentence).second) journal_.append({{"note", sentence}});
}

void Results::finish_part(const std::string& part) {
  journal_.append({{"part_done", part}});
  done_.insert(part);
}

}  // namespace rooflab::probe_worker
