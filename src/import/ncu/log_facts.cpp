#include "log_facts.hpp"

#include "rooflab/base/text.hpp"

namespace rooflab::import::ncu {

void LogFacts::lose(std::string_view what) {
  record::count_loss(lost, what, format("line {}", line));
}

}  // namespace rooflab::import::ncu
