#include "byte_mutation.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace mutator {
namespace {

constexpr std::size_t longest_run = 64;

struct Part {
  std::size_t begin = 0;
  std::size_t size = 0;
};

Part part_of(std::string_view content, RandomSource& random, std::size_t longest = longest_run) {
  const std::size_t begin = random.below(content.size());
  return {begin, 1 + random.below(std::min(longest, content.size() - begin))};
}

/// Places of the numbers of a text: digits with what may stand within a number.
std::vector<Part> numbers_of(std::string_view text) {
  std::vector<Part> found;
  const auto digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!digit(at)) continue;
    std::size_t end = at;
    while (digit(end) || (end < text.size() && (text[end] == '.' || text[end] == 'e'))) ++end;
    found.push_back({at, end - at});
    at = end;
  }
  return found;
}

std::vector<Part> lines_of(std::string_view text) {
  std::vector<Part> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    found.push_back({at, end + 1 - at});
    at = end + 1;
  }
  return found;
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

/// Something that is deep: lists in place of a number, brackets that never close, a key of a TOML
/// file with many parts.
void insert_depth(std::string& content, Part line, Part number, RandomSource& random) {
  const std::size_t levels = 1 + random.below(random.one_in(4) ? 200'000 : 300);
  switch (random.below(4)) {
    case 0:
      content.replace(number.begin, number.size, repeated("[", levels) + repeated("]", levels));
      break;
    case 1:
      content.replace(number.begin, number.size,
                      repeated("{\"a\":", levels) + "1" + repeated("}", levels));
      break;
    case 2: {
      static constexpr std::string_view openers[] = {"[", "{\"a\":", "(", "{ a = "};
      content.insert(number.begin, repeated(random.any_of(openers), levels));
      break;
    }
    default: {
      const std::string key = repeated("a.", levels) + "a";
      content.insert(line.begin, random.one_in(2) ? key + " = 1\n" : "[" + key + "]\n");
    }
  }
}

}  // namespace

void damage_bytes(std::string& content, std::string_view other, RandomSource& random) {
  if (content.empty()) return;
  const Part part = part_of(content, random);
  switch (random.below(8)) {
    case 0:
      content[part.begin] = static_cast<char>(content[part.begin] ^ (1 << random.below(8)));
      break;
    case 1:
      content[part.begin] = static_cast<char>(random.below(256));
      break;
    case 2:
      content.erase(part.begin, part.size);
      break;
    case 3:
      content.insert(part.begin, content.substr(part.begin, part.size));
      break;
    case 4:
      content.resize(random.below(content.size()));
      break;
    case 5: {
      static constexpr std::string_view words[] = {{"\0", 1},
                                                   {"\0\0\0\0", 4},
                                                   "\xff\xff\xff\xff",
                                                   "\x7f\xff\xff\xff\xff\xff\xff\xff",
                                                   "\x80",
                                                   "\xc0\xaf",
                                                   "\xed\xa0\x80",
                                                   "\xf4\x90\x80\x80",
                                                   "\x1b[2J",
                                                   "\r",
                                                   "\xe2\x80\xae",
                                                   "\xef\xbb\xbf"};
      content.insert(part.begin, random.any_of(words));
      break;
    }
    case 6: {
      if (other.empty()) break;
      const Part piece = part_of(other, random, 4 * longest_run);
      content.replace(part.begin, part.size, other.substr(piece.begin, piece.size));
      break;
    }
    default: {
      const Part piece = part_of(content, random, 4 * longest_run);
      content.insert(part.begin, content.substr(piece.begin, piece.size));
    }
  }
}

void damage_text(std::string& content, RandomSource& random) {
  if (content.empty()) return;
  static constexpr std::string_view numbers[] = {"-1",
                                                 "0",
                                                 "-0",
                                                 "1e308",
                                                 "1e999",
                                                 "-1e999",
                                                 "1e-320",
                                                 "9223372036854775807",
                                                 "9223372036854775808",
                                                 "-9223372036854775809",
                                                 "18446744073709551616",
                                                 "nan",
                                                 "inf",
                                                 "0x10",
                                                 "1e5",
                                                 "00",
                                                 "1.",
                                                 "1_000",
                                                 "2147483648",
                                                 "4294967295",
                                                 "\"1\"",
                                                 "true",
                                                 "null",
                                                 "[]",
                                                 "{}",
                                                 "100000000000000000000000000000000000000000"};
  const std::vector<Part> lines = lines_of(content);
  const std::vector<Part> places = numbers_of(content);
  const Part line = random.any_of(lines);
  const Part number = places.empty() ? Part{} : random.any_of(places);
  switch (random.below(7)) {
    case 0:
    case 1:
      content.replace(number.begin, number.size, random.any_of(numbers));
      break;
    case 2:
      content.erase(line.begin, line.size);
      break;
    case 3:
      content.insert(line.begin, content.substr(line.begin, line.size));
      break;
    case 4: {
      const Part second = random.any_of(lines);
      content.insert(line.begin, content.substr(second.begin, second.size));
      break;
    }
    case 5:
      insert_depth(content, line, number, random);
      break;
    default: {
      const std::size_t copies = random.below(random.one_in(4) ? 2'000 : 20);
      content.insert(line.begin, repeated(content.substr(line.begin, line.size),
                                          std::min(copies, most_bytes / line.size)));
    }
  }
}

}  // namespace mutator
