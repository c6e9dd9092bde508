#include "size_loader.hpp"

#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::task {

/// nullopt: it cannot be rebatched, and loading says why.
std::optional<graph::Graph> BatchLoader::rebatched(std::int64_t batch) const {
  try {
    return graph::rebatch(known_->graph, batch);
  } catch (const Error&) {
    return std::nullopt;
  }
}

LoadedModel BatchLoader::recorded(const std::map<std::string, std::int64_t>& counts) {
  const NetworkSettings& settings = network_.settings;
  const auto asked = [&counts](const char* name, std::optional<std::int64_t> otherwise) {
    const auto found = counts.find(name);
    return found == counts.end() ? otherwise : std::optional(found->second);
  };
  const std::optional<std::int64_t> batch = asked("batch", batches(settings).front());
  return in_case(network_.model, batch, [&] {
    if (!recorded_) recorded_.emplace(network_.model, settings);
    return recorded_->load({batch, asked("context", contexts(settings).front())});
  });
}

LoadedModel BatchLoader::load(const std::map<std::string, std::int64_t>& counts) {
  if (is_recording_) return recorded(counts);
  const auto asked = counts.find("batch");
  if (!network_.layer.empty() || asked == counts.end()) return network_.load(counts);
  if (!known_) return *(known_ = network_.load(counts));
  if (asked->second == known_->graph.batch()) return *known_;
  if (!can_rebatch_.value_or(true)) return network_.load(counts);
  std::optional<graph::Graph> graph = rebatched(asked->second);
  if (graph && can_rebatch_) return {known_->name, *std::move(graph), known_->notes};
  LoadedModel loaded = network_.load(counts);
  const bool is_same = graph && graph::to_text(*graph) == graph::to_text(loaded.graph);
  if (!is_same && known_->graph.batch() == 1) {
    known_ = loaded;  // a batch of 1 may hide where the batch is
  } else {
    can_rebatch_ = is_same;
  }
  return loaded;
}

}  // namespace rooflab::task
