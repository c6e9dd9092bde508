#include "bare_name.hpp"

#include <cctype>

#include "rooflab/base/text.hpp"

namespace rooflab::study {

std::string bare_name(std::string_view text) {
  std::string letters;
  for (const char c : lowercase(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0) letters += c;
  }
  return letters;
}

}  // namespace rooflab::study
