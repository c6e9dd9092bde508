// Files of docs/formats/recording.md: unpacked, and read line by line.

#include <vector>

#include "base/format.hpp"
#include "recording_reader.hpp"
#include "rooflab/base/error.hpp"
#include "system/path_status.hpp"
#include "system/unpacked_text.hpp"

namespace rooflab::recording {
namespace {

constexpr std::size_t most_line = std::size_t{64} << 20U;

Recording read_all(UnpackedText& source, const std::string& file) {
  RecordingReader reader(file);
  std::string text;
  std::vector<char> piece(std::size_t{1} << 18U);
  while (const std::size_t count = source.read(piece.data(), piece.size())) {
    std::size_t begin = 0;
    std::size_t end = text.size();  // what was there has no line end
    text.append(piece.data(), count);
    while ((end = text.find('\n', end)) != std::string::npos) {
      reader.line(std::string_view(text).substr(begin, end - begin));
      begin = ++end;
    }
    text.erase(0, begin);
    if (text.size() > most_line) reader.damaged("a line is longer than 64 MiB");
  }
  if (!source.damage().empty()) reader.damaged(source.damage());
  if (!text.empty()) reader.line(text);
  return std::move(reader).finish();
}

}  // namespace

bool is_recording(const std::filesystem::path& file) {
  std::error_code status;
  if (!is_file(file) || std::filesystem::is_empty(file, status)) return false;
  UnpackedText source(file, "model");
  std::string head(64, '\0');
  head.resize(source.read(head.data(), head.size()));
  return head.find(format("{{\"{}\"", magic)) == 0;
}

Recording read_recording(const std::filesystem::path& file) {
  UnpackedText source(file, "recording");
  return read_all(source, file.string());
}

Recording parse_recording(std::string_view text, const std::string& file) {
  UnpackedText source(text);
  return read_all(source, file);
}

}  // namespace rooflab::recording
