#include "study_text.hpp"

#include <algorithm>

#include "describe/field_table.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {

std::span<const Field> fields_of(For<StudyText>) {
  static constexpr Field fields[] = {
      field<&StudyText::position>("position").required(),
      field<&StudyText::title>("title").required(),
      field<&StudyText::text>("markdown").required(),
  };
  return fields;
}

std::string usual_title(StudyText::Position position) {
  std::string title(name_of(position));
  title.front() = static_cast<char>(title.front() - 'a' + 'A');
  return title;
}

std::vector<StudyText> in_page_order(std::vector<StudyText> texts) {
  std::ranges::stable_sort(texts, {}, &StudyText::position);
  return texts;
}

std::vector<page::PageSection> text_sections(std::span<const StudyText> texts,
                                             StudyText::Position position) {
  std::vector<page::PageSection> sections;
  for (const StudyText& each : texts) {
    if (each.position != position) continue;
    page::PageSection& section = sections.emplace_back();
    section.heading = each.title;
    section.text = each.text;
  }
  return sections;
}

}  // namespace rooflab::study
