#include "rooflab/record/loss.hpp"

#include <algorithm>

namespace rooflab::record {

void count_loss(std::vector<Loss>& losses, std::string_view what, std::string_view where) {
  const auto known =
      std::ranges::find_if(losses, [&](const Loss& loss) { return loss.what == what; });
  if (known != losses.end()) {
    ++known->count;
  } else {
    losses.push_back({std::string(what), 1, std::string(where)});
  }
}

}  // namespace rooflab::record
