#include "accuracy_page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "published_rows.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::accuracy {
namespace {

std::string page() { return repository_path("docs/accuracy.md"); }

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& line : split(text, '\n')) {
    for (const std::string& word : split(line, ' ')) {
      if (!word.empty()) words.push_back(word);
    }
  }
  return words;
}

bool same_word(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto bare = [](std::string word) {
    if (word.starts_with("+")) word.erase(0, 1);
    return word;
  };
  const std::optional<double> x = parse_number(bare(a));
  const std::optional<double> y = parse_number(bare(b));
  const std::size_t point = a.find('.');
  const double unit =
      point == std::string::npos ? 1.0 : std::pow(10.0, -static_cast<double>(a.size() - point - 1));
  return x && y && std::abs(*x - *y) <= 1.01 * unit;
}

/// The page from `from` to `end` is `text`, or becomes it.
void expect_part(std::string whole, std::size_t from, std::size_t end, const std::string& name,
                 const std::string& text) {
  if (std::getenv("ROOFLAB_BLESS") != nullptr) {
    write_file_atomically(page(), whole.replace(from, end - from, text));
    return;
  }
  const std::vector<std::string> written = words_of(whole.substr(from, end - from));
  const std::vector<std::string> computed = words_of(text);
  ASSERT_EQ(written.size(), computed.size()) << name;
  for (std::size_t i = 0; i < written.size(); ++i) {
    ASSERT_TRUE(same_word(written[i], computed[i]))
        << name << ": docs/accuracy.md has '" << written[i] << "', this test computes '"
        << computed[i] << "' (ROOFLAB_BLESS=1 writes the page)";
  }
}

}  // namespace

void expect_in_page(const std::string& name, const std::string& text) {
  const std::string whole = read_file(page());
  const std::string head = format("<!-- {} -->\n", name);
  const std::size_t begin = whole.find(head);
  ASSERT_NE(begin, std::string::npos) << head;
  const std::size_t from = begin + head.size();
  const std::size_t end = whole.find("<!-- end -->", from);
  ASSERT_NE(end, std::string::npos);
  expect_part(whole, from, end, name, text);
}

void expect_line_in_page(const std::string& line) {
  const std::string whole = read_file(page());
  const std::string head = "\n" + line.substr(0, line.find('|', 1) + 1);
  const std::size_t begin = whole.find(head);
  ASSERT_NE(begin, std::string::npos) << head;
  const std::size_t from = begin + 1;
  expect_part(whole, from, whole.find('\n', from) + 1, head, line);
}

}  // namespace rooflab::accuracy
