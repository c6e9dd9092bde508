#pragma once

#include <string>
#include <string_view>

#include "rooflab/describe/parameter.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::cli {

/// Number of findings before the tables: `5`, `all`.
struct FindingCount {
  std::size_t most = page::Document{}.most_findings;  ///< 0: all

  static FindingCount from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const;
  friend bool operator==(const FindingCount&, const FindingCount&) = default;
};

/// Flag `--findings` of commands whose results have findings.
struct FindingChoice {
  FindingCount findings;

  [[nodiscard]] page::Document with(page::Document document) const {
    document.most_findings = findings.most;
    return document;
  }
};
const Parameters& parameters_of(For<FindingChoice>);

}  // namespace rooflab::cli
