#pragma once

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "source_tree.hpp"

namespace rooflab::bench {

// A large trace of the PyTorch profiler: the sample of tests/data/import/kineto, its events
// repeated with times and numbers shifted until the text has the size that is asked for.

/// The text of a file, unpacked if it is compressed.
inline std::string unpacked(const std::filesystem::path& path) {
  std::string text;
  const gzFile file = ::gzopen(path.c_str(), "rb");
  std::array<char, 65536> block{};
  for (int count = 1; file != nullptr && count > 0;) {
    count = ::gzread(file, block.data(), static_cast<unsigned>(block.size()));
    if (count > 0) text.append(block.data(), static_cast<std::size_t>(count));
  }
  if (file != nullptr) ::gzclose(file);
  return text;
}

/// `events` with what is added to every number behind a key.
inline std::string shifted_events(const std::string& events, std::int64_t repetition) {
  struct Key {
    std::string_view text;
    std::int64_t step;
  };
  // The sample lasts 21.4 ms and has correlations from 10069 to 25161.
  constexpr std::array<Key, 4> keys = {Key{"\"ts\": ", 22'000}, Key{"\"correlation\": ", 20'000},
                                       Key{"\"External id\": ", 20'000}, Key{"\"id\": ", 20'000}};
  std::string text;
  text.reserve(events.size() + events.size() / 16);
  for (std::size_t i = 0; i < events.size();) {
    const auto* const key = std::ranges::find_if(keys, [&](const Key& each) {
      return events[i] == '"' && events.compare(i, each.text.size(), each.text) == 0;
    });
    if (key == keys.end()) {
      text += events[i++];
      continue;
    }
    std::size_t used = 0;
    i += key->text.size();
    const std::int64_t value = std::stoll(events.substr(i, 20), &used);
    text += key->text;
    text += std::to_string(value + repetition * key->step);
    i += used;
  }
  return text;
}

/// A trace of at least `size` bytes, handed to `write` piece by piece.
inline void make_trace(std::size_t size,
                       const std::function<void(const std::string& piece)>& write) {
  const std::string text =
      unpacked(in_source_tree("tests/data/import/kineto/resnet18-b16-train.pt.trace.json.gz"));
  constexpr std::string_view list = "\"traceEvents\": [";
  const std::size_t begin = text.find(list);
  const std::size_t end = text.rfind("\n  ],");
  if (begin == std::string::npos || end == std::string::npos) {
    throw std::runtime_error("the sample of a trace is not where it should be");
  }
  const std::size_t first = begin + list.size();
  const std::string events = text.substr(first, end - first);
  write(text.substr(0, first));
  std::size_t written = 0;
  for (std::int64_t repetition = 0; written < size; ++repetition) {
    const std::string piece = (repetition > 0 ? "," : "") + shifted_events(events, repetition);
    write(piece);
    written += piece.size();
  }
  write(text.substr(end));
}

inline void write_trace(const std::filesystem::path& path, std::size_t size) {
  std::ofstream file(path, std::ios::binary);
  make_trace(size, [&](const std::string& piece) { file << piece; });
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

inline void write_compressed_trace(const std::filesystem::path& path, std::size_t size) {
  const gzFile file = ::gzopen(path.c_str(), "wb6");
  make_trace(size, [&](const std::string& piece) {
    ::gzwrite(file, piece.data(), static_cast<unsigned>(piece.size()));
  });
  if (::gzclose(file) != Z_OK) throw std::runtime_error("cannot write " + path.string());
}

/// The bytes of the text in a compressed file, from its last four bytes: right below 4 GiB.
inline std::uint64_t unpacked_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(-4, std::ios::end);
  std::uint64_t bytes = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes |= static_cast<std::uint64_t>(static_cast<unsigned char>(file.get())) << shift;
  }
  return bytes;
}

}  // namespace rooflab::bench
