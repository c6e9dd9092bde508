#include "compact_archive.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "compiled_calibrations.hpp"

namespace rooflab::device {
namespace {

constexpr unsigned eight_bytes = 31;
constexpr double first_inexact_integer = 9007199254740992.0;  // 2^53

/// The powers of ten that are exact doubles.
constexpr std::array<double, 23> powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace

void CompactWriter::unsigned_integer(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
  bytes_ += static_cast<char>(value);
}

void CompactWriter::signed_integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  unsigned_integer(value < 0 ? ~(bits << 1) : bits << 1);
}

void CompactWriter::write(const double& value) {
  if (!std::signbit(value)) {
    for (unsigned k = 0; k < powers_of_ten.size(); ++k) {
      const double mantissa = std::round(value * powers_of_ten[k]);
      if (!(mantissa < first_inexact_integer)) break;
      if (mantissa / powers_of_ten[k] != value) continue;
      const auto m = static_cast<std::uint64_t>(mantissa);
      unsigned_integer(k == 0 ? m << 1 : m << 6 | k << 1 | 1U);
      return;
    }
  }
  unsigned_integer(eight_bytes << 1 | 1U);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xff);
}

void CompactWriter::write(const std::string& text) {
  unsigned_integer(text.size());
  bytes_ += text;
}

std::uint64_t CompactReader::unsigned_integer(std::uint64_t most) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  while (true) {
    if (rest_.empty()) throw damaged_calibrations("they end too early");
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) break;
    shift += 7;
    if (shift > 63) throw damaged_calibrations("a number is too long");
  }
  if (value > most) throw damaged_calibrations("a number is too large");
  return value;
}

std::int64_t CompactReader::signed_integer(std::int64_t least, std::int64_t most) {
  const std::uint64_t bits = unsigned_integer();
  const auto value = static_cast<std::int64_t>((bits & 1) != 0 ? ~(bits >> 1) : bits >> 1);
  if (value < least || value > most) throw damaged_calibrations("a number is too large");
  return value;
}

std::size_t CompactReader::length() {
  const std::uint64_t count = unsigned_integer();
  if (count > rest_.size()) throw damaged_calibrations("they end too early");
  return count;
}

void CompactReader::read(double& value) {
  const std::uint64_t number = unsigned_integer();
  if ((number & 1) == 0) {
    value = static_cast<double>(number >> 1);
    return;
  }
  const auto k = static_cast<unsigned>(number >> 1 & 0x1f);
  if (k < powers_of_ten.size()) {
    value = static_cast<double>(number >> 6) / powers_of_ten[k];
    return;
  }
  if (k != eight_bytes) throw damaged_calibrations("a number has an unknown form");
  if (rest_.size() < 8) throw damaged_calibrations("they end too early");
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) {
    bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
  }
  rest_.remove_prefix(8);
  value = std::bit_cast<double>(bits);
}

void CompactReader::read(std::string& text) {
  text = rest_.substr(0, length());
  rest_.remove_prefix(text.size());
}

}  // namespace rooflab::device
