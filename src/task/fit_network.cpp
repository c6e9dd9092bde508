#include "fit_network.hpp"

#include <algorithm>

namespace rooflab::task {

FitNetwork::FitNetwork(const FitRequest& request) : request_(request), loader_(request.network) {
  for (const VariedCount& each : request.vary) {
    names_.push_back(each.name);
    ranges_.push_back(each.range);
    least_.push_back(each.range.least);
  }
  if (varies_size()) least_ = given_size();
}

bool FitNetwork::varies_size() const {
  return names_.size() == 2 && std::ranges::find(names_, "context") != names_.end();
}

std::vector<std::int64_t> FitNetwork::given_size() const {
  const LoadedModel own = loader_.load({});
  std::vector<std::int64_t> size;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::optional<std::int64_t> known =
        names_[i] == "batch" ? std::optional(own.graph.batch()) : own.recorded->context;
    size.push_back(std::max(known.value_or(1), ranges_[i].least));
  }
  return size;
}

LoadedModel FitNetwork::load(FitCounts counts) const {
  std::map<std::string, std::int64_t> by_name;
  for (std::size_t i = 0; i < counts.size(); ++i) by_name[names_[i]] = counts[i];
  return loader_.load(by_name);
}

schedule::Schedule FitNetwork::schedule_of(FitCounts counts) const {
  return *load(counts).lowered(request_.network.lowering());
}

std::vector<predict::FrontierPoint> FitNetwork::frontier(
    const std::function<bool(FitCounts)>& holds, std::span<const predict::FrontierPoint> expected,
    std::optional<predict::SearchStart> start, predict::Boundary boundary) const {
  if (varies_size()) {
    return predict::size_frontier(names_, ranges_, least_, holds, expected, boundary);
  }
  return predict::frontier(names_, ranges_, holds, expected, start, boundary);
}

std::optional<double> FitNetwork::samples_per_s(FitCounts counts,
                                                std::optional<std::int64_t> recorded,
                                                double step_s) const {
  const auto batch = std::ranges::find(names_, "batch");
  const auto& given = request_.network.settings.batch;
  if (batch == names_.end() && given.empty() && !recorded) return std::nullopt;
  const std::int64_t samples = batch != names_.end()
                                   ? counts[static_cast<std::size_t>(batch - names_.begin())]
                               : given.empty() ? *recorded
                                               : given.front();
  return static_cast<double>(samples) / step_s;
}

}  // namespace rooflab::task
