#pragma once

#include <span>
#include <string>
#include <vector>

#include "describe/fields.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::study {

/// One `[[text]]` by the author, in Markdown.
struct StudyText {
  /// The parts of a paper; a text without a title has the name of its part.
  enum class Position {
    introduction,  ///< before the hypotheses
    method,        ///< before the tables
    discussion,    ///< after the charts
    conclusion,    ///< after the discussion
  };
  Position position = Position::discussion;
  std::string title;  ///< never empty after reading
  std::string text;
};
constexpr auto names_in_order(For<StudyText::Position>) {
  return names_through<StudyText::Position::conclusion>("introduction", "method", "discussion",
                                                        "conclusion");
}

[[nodiscard]] std::span<const Field> fields_of(For<StudyText>);

/// Default title of a part: `Discussion`.
[[nodiscard]] std::string usual_title(StudyText::Position position);

/// The texts in the order of the page.
[[nodiscard]] std::vector<StudyText> in_page_order(std::vector<StudyText> texts);

/// Sections for the texts of a part, in the order of the file.
[[nodiscard]] std::vector<page::PageSection> text_sections(std::span<const StudyText> texts,
                                                           StudyText::Position position);

}  // namespace rooflab::study
