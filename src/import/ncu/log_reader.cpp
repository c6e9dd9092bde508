#include "log_reader.hpp"

#include "log_line.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::import::ncu {
namespace {

constexpr std::size_t progress_bytes = std::size_t{4} << 20U;

/// Kinds of files that cannot hold a table, by their first bytes.
void refuse_other_files(std::string_view start) {
  if (start.starts_with(std::string_view("NVR\0", 4))) {
    throw Error(ErrorKind::input, "this is a report of Nsight Compute (.ncu-rep), not a CSV log",
                "ncu --import FILE.ncu-rep --csv --page raw --print-units base > FILE.csv");
  }
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) {
    throw Error(ErrorKind::input, "the log is in UTF-16, as PowerShell redirects output",
                "write it with ncu --log-file, or convert it to UTF-8");
  }
}

}  // namespace

LogReader::LogReader(ByteSource& source, Notation notation, std::function<void(double)> progress)
    : buffer_(source),
      source_(&source),
      progress_(std::move(progress)),
      numbers_(notation),
      launches_(kernels, facts),
      raw_(kernels, launches_, facts, numbers_),
      details_(kernels, launches_, facts, numbers_),
      text_(kernels, launches_, facts, numbers_) {}

bool LogReader::read() {
  while (buffer_.rest().size() < 4 && buffer_.fill()) {
  }
  refuse_other_files(buffer_.rest());
  while (step()) {
    if (numbers_.contradicted()) return false;
  }
  details_.finish();
  text_.finish();
  if (progress_) progress_(1.0);
  return true;
}

void LogReader::consume(std::size_t bytes, std::int64_t lines) {
  buffer_.consume(bytes);
  facts.line += lines;
  since_progress_ += bytes;
  if (since_progress_ < progress_bytes) return;
  since_progress_ = 0;
  if (progress_) progress_(source_->done());
}

std::optional<std::string_view> LogReader::whole_line() {
  while (true) {
    const std::string_view rest = buffer_.rest();
    const std::size_t end = rest.find('\n');
    if (end != std::string_view::npos) return rest.substr(0, end);
    if (!buffer_.fill()) {
      if (buffer_.ended()) return buffer_.rest();
      return std::nullopt;
    }
  }
}

bool LogReader::step() {
  if (buffer_.rest().empty() && !buffer_.fill()) return false;
  const std::optional<std::string_view> line = whole_line();
  if (!line) {
    skip_long_line();
    return true;
  }
  const bool row = table_ && begins_row(*line, quoted_);
  if (row && read_row(false)) return true;
  // An invalid row was counted; its line may still hold the header of the next table.
  const std::size_t header = find_header(*whole_line());
  if (header != std::string_view::npos) {
    note_message(whole_line()->substr(0, header), facts);
    consume(header, 0);
    if (read_header()) return true;
  } else if (table_ && quoted_ && !row) {
    const std::size_t torn = find_row(*whole_line());
    if (torn != std::string_view::npos) {
      note_message(whole_line()->substr(0, torn), facts);
      consume(torn, 0);
      if (read_row(true)) return true;
    }
  }
  other_line(*whole_line());
  return true;
}

bool LogReader::read_row(bool glued) {
  FieldSplitter& splitter = table_ == Page::raw ? raw_.splitter() : details_.splitter();
  SplitStatus status = splitter.split(buffer_.rest(), buffer_.ended());
  while (status == SplitStatus::incomplete) {
    if (!buffer_.fill() && !buffer_.ended()) break;  // a record as long as the buffer
    status = splitter.split(buffer_.rest(), buffer_.ended());
  }
  if (status != SplitStatus::complete || (quoted_ && splitter.has_bare_field())) {
    facts.lose("torn rows");
    return false;
  }
  if (table_ == Page::raw) {
    raw_.row(buffer_.rest().substr(0, splitter.bytes()), glued);
  } else {
    details_.row(glued);
  }
  consume(splitter.bytes(), splitter.line_feeds());
  return true;
}

bool LogReader::read_header() {
  FieldSplitter splitter;
  SplitStatus status = splitter.split(buffer_.rest(), buffer_.ended());
  while (status == SplitStatus::incomplete) {
    if (!buffer_.fill() && !buffer_.ended()) break;
    status = splitter.split(buffer_.rest(), buffer_.ended());
  }
  if (status != SplitStatus::complete) return false;
  std::optional<TableHeader> header = table_header_from(splitter.fields());
  if (!header) return false;
  header_line_ = facts.line;
  text_.finish();
  quoted_ = buffer_.rest().starts_with('"');
  if (header->page == Page::raw) {
    // Open launches must have their figures before the other page may add to them.
    details_.finish();
    table_ = Page::raw;
    raw_.begin(std::move(*header));
  } else {
    table_ = Page::details;
    details_.begin(std::move(*header));
  }
  consume(splitter.bytes(), splitter.line_feeds());
  return true;
}

void LogReader::other_line(std::string_view line) {
  const bool has_line_feed = line.size() < buffer_.rest().size();
  if (!text_.line(line, has_line_feed)) note_message(line, facts);
  consume(line.size() + (has_line_feed ? 1 : 0), has_line_feed ? 1 : 0);
}

void LogReader::skip_long_line() {
  facts.lose("lines over 8 MiB");
  while (true) {
    const std::string_view rest = buffer_.rest();
    const std::size_t end = rest.find('\n');
    if (end != std::string_view::npos) {
      consume(end + 1, 1);
      return;
    }
    consume(rest.size(), 0);
    if (!buffer_.fill()) return;
  }
}

}  // namespace rooflab::import::ncu
