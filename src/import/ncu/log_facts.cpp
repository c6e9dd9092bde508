#include "log_facts.hpp"

#include "base/format.hpp"

namespace rooflab::import::ncu {

void LogFacts::lose(std::string_view what) {
  record::count_loss(lost, what, format("line {}", line));
}

void LogFacts::pass_over(std::string_view metric) {
  constexpr std::size_t most_names = 4096;
  constexpr std::size_t longest_name = 160;
  const bool is_name = metric.size() <= longest_name && metric.find("__") != std::string_view::npos;
  if (!is_name || unused_metrics.contains(metric) || unused_metrics.size() == most_names) return;
  unused_metrics.emplace(metric);
}

}  // namespace rooflab::import::ncu
