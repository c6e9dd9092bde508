#include "rooflab/base/format.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::record {

std::string title_of(const CaseIdentity& identity) {
  std::string title = format("{} on {}, batch {}, {}, {}", identity.model, identity.device,
                             identity.batch, name_of(identity.phase), name_of(identity.precision));
  for (const std::string& more : {identity.variant, identity.rewrite}) {
    if (!more.empty()) title += format(", {}", more);
  }
  if (identity.channels_last) title += ", channels last";
  return title;
}

}  // namespace rooflab::record
