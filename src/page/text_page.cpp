#include "text_page.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "chart/text_extent.hpp"
#include "chart/tone.hpp"
#include "finding_part.hpp"
#include "text_lines.hpp"
#include "text_table.hpp"

namespace rooflab::page {
namespace {

std::string in_lines(std::string_view text, const TextStyle& style) {
  std::string lines;
  for (const std::string& line : wrapped_lines(printable(text), style.width)) lines += line + "\n";
  return lines;
}

std::string note_line(const std::string& line, chart::Tone tone, const TextStyle& style) {
  if (!style.color) return line + "\n";
  return (tone == chart::Tone::none ? chart::dimmed(line) : chart::colored(tone, line)) + "\n";
}

std::string note_lines(const Remark& note, const TextStyle& style) {
  const std::string text = printable(note.text);
  const chart::Tone tone = chart::tone_of_note(text);
  if (style.most_notes > 0 && style.width > 0) {
    return note_line(chart::elide_to_columns(text, static_cast<int>(style.width)), tone, style);
  }
  std::string lines;
  for (const std::string& line : wrapped_lines(text, style.width)) {
    lines += note_line(line, tone, style);
  }
  return lines;
}

/// What is part of the answer, whole; then the notes of the highest ranks.
std::string notes_text(Remarks notes, const TextStyle& style) {
  std::ranges::stable_sort(notes, std::greater(), &Remark::rank);
  std::string answers;
  std::string others;
  std::size_t shown = 0;
  std::size_t more = 0;
  for (const Remark& note : notes) {
    if (note.rank == NoteRank::answers) {
      answers += in_lines(note.text, style);
    } else if (style.most_notes > 0 && shown == style.most_notes) {
      ++more;
    } else {
      others += note_lines(note, style);
      ++shown;
    }
  }
  if (more > 0) {
    others += note_line(format("{}: --notes", plural(more, "more note")), chart::Tone::none, style);
  }
  if (!answers.empty() && !others.empty()) answers += "\n";
  return answers + others;
}

std::string command_text(const CommandBlock& block, const TextStyle& style) {
  std::string text = in_lines(block.what + ":", style);
  for (const std::string& line : command_lines(printable(block.command), style.width)) {
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string text_page(const Document& document, const TextStyle& style) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += "\n";
    text += part;
  };
  for (const std::string& paragraph : document.introduction) text += in_lines(paragraph, style);
  add(findings_text(document, style.width));
  for (const Table* const table : document.text_tables()) {
    add(text_table(first_rows_of(*table, document.most_rows), style));
  }
  add(notes_text(document.text_notes(), style));
  for (const CommandBlock& block : document.commands) add(command_text(block, style));
  return text;
}

}  // namespace rooflab::page
