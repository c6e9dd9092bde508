// The lists of keys in docs/formats, made from the tables of fields. A block
//
//     <!-- keys of timing -->
//     <!-- end -->
//
// holds the keys of that type; `units`, `notes` and
// `kinds of findings` and `lines to try` are the other blocks. With
// ROOFLAB_BLESS=1 the test writes the documents anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/format.hpp"
#include "describe/json_schema.hpp"
#include "describe/schema.hpp"
#include "described_types.hpp"
#include "notes/known_notes.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/findings/finding_table.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t widest_line = 100;
constexpr std::string_view begin_mark = "<!-- keys of ";
constexpr std::string_view close_mark = " -->";
constexpr std::string_view end_mark = "<!-- end -->";

std::vector<fs::path> documents() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& each :
       fs::directory_iterator(fs::path(ROOFLAB_SOURCE_DIR) / "docs/formats")) {
    if (each.path().extension() == ".md") files.push_back(each.path());
  }
  files.push_back(fs::path(ROOFLAB_SOURCE_DIR) / "docs/methods/findings.md");
  std::ranges::sort(files);
  return files;
}

/// An entry of a list, its further lines under the first one's text.
std::string list_entry(const std::string& text) {
  std::string lines;
  std::string line = "-";
  for (const std::string& word : split(text, ' ')) {
    if (line.size() + 1 + word.size() > widest_line) {
      lines += line + "\n";
      line = " ";
    }
    line += " " + word;
  }
  return lines + line + "\n";
}

std::string keys_of(std::span<const Field> fields) {
  std::string list;
  for (const Field& field : fields) {
    if (field.figure() == nullptr) {
      list += keys_of(field.part());
      continue;
    }
    const Figure& figure = *field.figure();
    const std::string_view symbol = symbol_of(figure.unit());
    list += list_entry(format("`{}`{}: {}{}{}", figure.key,
                              symbol.empty() ? "" : format(" ({})", symbol), figure.meaning,
                              field.words().empty() ? "" : " ", field.words()));
  }
  return list;
}

std::string unit_list() {
  std::string list;
  for (int i = 1; i <= static_cast<int>(Unit::share); ++i) {
    const auto unit = static_cast<Unit>(i);
    const std::string_view symbol = symbol_of(unit);
    list += list_entry(
        format("`_{}`: {}", suffix_of(unit), symbol.empty() ? "a fraction of one" : symbol));
  }
  return list;
}

std::string note_list() {
  std::string list;
  for (const NoteSentence& row : notes::known_sentences()) {
    list += list_entry(format("`{}`: `` {} ``", row.code, row.text));
  }
  return list;
}

std::string finding_list() {
  std::string list;
  for (const findings::FindingRow& row : findings::finding_table) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; row.keys[i] != nullptr; ++i) {
      const std::string key = format("`{}`", row.keys[i]->key);
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
    list += list_entry(format("`{}`: `` {} `` Figures: {}. Said from {}. {}{}{}", row.sentence.code,
                              row.sentence.text, join(keys, ", "), findings::threshold_of(row),
                              row.meaning, row.advice.empty() ? "" : " ", row.advice) +
                       (row.besides.empty() ? "" : format(" Where it applies: {}", row.besides)));
  }
  return list;
}

std::string try_line_list() {
  std::string list;
  for (const findings::TryLineRow& row : findings::try_lines) {
    list += list_entry(format("`` {} `` ({})", row.text, name_of(row.on)));
  }
  return list;
}

/// nullopt: no such block.
std::optional<std::string> block(std::string_view name) {
  if (name == "units") return unit_list();
  if (name == "notes") return note_list();
  if (name == "kinds of findings") return finding_list();
  if (name == "lines to try") return try_line_list();
  const auto* const type = std::ranges::find(described_types, name, &DescribedType::name);
  if (type == described_types.end()) return std::nullopt;
  return keys_of(type->fields());
}

/// The document with every block made anew; the names of the blocks go to `found`.
std::string renewed_document(const std::string& text, std::set<std::string>& found) {
  std::string result;
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = text.find(begin_mark, at);
    if (begin == std::string::npos) return result + text.substr(at);
    const std::size_t name_at = begin + begin_mark.size();
    const std::size_t close = text.find(close_mark, name_at);
    const std::size_t end = text.find(end_mark, close);
    if (close == std::string::npos || end == std::string::npos) {
      ADD_FAILURE() << "a block without an end: " << text.substr(begin, 60);
      return text;
    }
    const std::string name = text.substr(name_at, close - name_at);
    const std::optional<std::string> content = block(name);
    if (!content) ADD_FAILURE() << "no type has the name '" << name << "'";
    found.insert(name);
    result += format("{}\n\n{}\n{}", text.substr(at, close + close_mark.size() - at),
                     content.value_or(""), end_mark);
    at = end + end_mark.size();
  }
}

/// JSON Schemas of what program and workers of others exchange, by file in docs/formats/schemas.
std::vector<std::pair<std::string, Json>> worker_schemas() {
  using engine::Capabilities;
  using engine::Case;
  using record::Record;
  return {
      {"worker_build", json_schema(fields_of(For<engine::WorkerBuild>{}))},
      {"capabilities", json_schema(fields_of(For<Capabilities>{}))},
      {"progress", json_schema(fields_of(For<engine::Progress>{}))},
      {"case", json_schema(file_kind_of(For<Case>{}), fields_of(For<Case>{}))},
      {"record", json_schema(file_kind_of(For<Record>{}), fields_of(For<Record>{}))},
  };
}

TEST(FormatDocuments, HaveTheSchemasOfWorkers) {
  const bool bless = std::getenv("ROOFLAB_BLESS") != nullptr;
  for (const auto& [name, content] : worker_schemas()) {
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
    schema.update(content);
    const std::string wanted = schema.dump(1) + "\n";
    const fs::path file = fs::path(ROOFLAB_SOURCE_DIR) / "docs/formats/schemas" / (name + ".json");
    if (bless) {
      fs::create_directories(file.parent_path());
      write_file_atomically(file, wanted);
    } else {
      EXPECT_EQ(read_file(file), wanted) << file << ": ROOFLAB_BLESS=1 writes it anew";
    }
  }
}

TEST(FormatDocuments, HaveTheKeysOfEveryDescribedType) {
  const bool bless = std::getenv("ROOFLAB_BLESS") != nullptr;
  std::set<std::string> found;
  for (const fs::path& file : documents()) {
    const std::string text = read_file(file);
    const std::string wanted = renewed_document(text, found);
    if (bless && wanted != text) {
      write_file_atomically(file, wanted);
    } else {
      EXPECT_EQ(text, wanted) << file << ": ROOFLAB_BLESS=1 writes it anew";
    }
  }
  for (const DescribedType& type : described_types) {
    EXPECT_TRUE(found.contains(std::string(type.name)))
        << "docs/formats has no block for '" << type.name << "'";
  }
}

}  // namespace
}  // namespace rooflab
