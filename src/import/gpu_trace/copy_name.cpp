// Directions and memories by their numbers.
//
// Source: "SQLite Schema Event Values" in the user guide of Nsight Systems; the labels are those of
// the tables ENUM_CUDA_MEMCPY_OPER and ENUM_CUDA_MEM_KIND.

#include "copy_name.hpp"

#include <array>
#include <span>

#include "base/format.hpp"

namespace rooflab::import {
namespace {

struct Word {
  std::string_view symbol;  ///< behind the prefix that all have, in lower case
  std::string_view label;   ///< in lower case
  std::string_view ours;
};

/// In the order of their numbers.
constexpr std::array directions = std::to_array<Word>({
    {"unknown", "unknown", ""},
    {"htod", "host-to-device", "HtoD"},
    {"dtoh", "device-to-host", "DtoH"},
    {"htoa", "host-to-array", "HtoA"},
    {"atoh", "array-to-host", "AtoH"},
    {"atoa", "array-to-array", "AtoA"},
    {"atod", "array-to-device", "AtoD"},
    {"dtoa", "device-to-array", "DtoA"},
    {"dtod", "device-to-device", "DtoD"},
    {"htoh", "host-to-host", "HtoH"},
    {"ptop", "peer-to-peer", "PtoP"},
    {"uvm_htod", "unified host-to-device", "HtoD (unified)"},
    {"uvm_dtoh", "unified device-to-host", "DtoH (unified)"},
    {"uvm_dtod", "unified device-to-device", "DtoD (unified)"},
});
constexpr std::array memories = std::to_array<Word>({
    {"pageable", "pageable", "Pageable"},
    {"pinned", "pinned", "Pinned"},
    {"device", "device", "Device"},
    {"array", "array", "Array"},
    {"managed", "managed", "Managed"},
    {"device_static", "device static", "Device Static"},
    {"managed_static", "managed static", "Managed Static"},
    {"unknown", "unknown", ""},
});

std::string ours_of(std::string_view word, std::span<const Word> words, std::string_view prefix) {
  if (const auto number = parse_integer(word)) {
    const bool known = *number >= 0 && static_cast<std::size_t>(*number) < words.size();
    return known ? std::string(words[static_cast<std::size_t>(*number)].ours) : std::string();
  }
  std::string lower = lowercase(trim(word));
  if (lower.starts_with(prefix)) lower.erase(0, prefix.size());
  for (const Word& each : words) {
    if (lower == each.symbol || lower == each.label || lower == lowercase(each.ours)) {
      return std::string(each.ours);
    }
  }
  return std::string(trim(word));
}

}  // namespace

std::string copy_direction(std::string_view word) {
  return ours_of(word, directions, "cuda_memcpy_kind_");
}

std::string memory_kind(std::string_view word) {
  return ours_of(word, memories, "cuda_memopr_memory_kind_");
}

std::string copy_name(std::string_view direction, std::string_view from, std::string_view to) {
  std::string name = "Memcpy";
  if (!direction.empty()) name += format(" {}", direction);
  if (!from.empty() && !to.empty()) name += format(" ({} -> {})", from, to);
  return name;
}

std::string fill_name(std::string_view memory) {
  return memory.empty() ? std::string("Memset") : format("Memset ({})", memory);
}

}  // namespace rooflab::import
