#include "csv_records.hpp"

#include <algorithm>

#include "rooflab/base/text.hpp"

namespace rooflab::import {

CsvRecords::CsvRecords(ByteSource& source, const ImportOptions& options)
    : source_(source), options_(options), buffer_(source) {}

void CsvRecords::fill() {
  constexpr std::size_t longest_record = std::size_t{1} << 20;
  while (!buffer_.ended() && buffer_.rest().size() < longest_record) {
    if (!buffer_.fill() && buffer_.rest().size() >= ncu::LogBuffer::capacity) break;
    if (options_.progress) options_.progress(source_.done());
  }
}

bool CsvRecords::next() {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (number_ == 0) {
    number_ = 1;
    fill();
    if (buffer_.rest().starts_with(byte_order_mark)) buffer_.consume(byte_order_mark.size());
    return !buffer_.rest().empty();
  }
  if (taken_) {
    number_ += std::max<std::int64_t>(splitter_.line_feeds(), 1);
    buffer_.consume(splitter_.bytes());
  } else {
    ++number_;
    buffer_.consume(std::min(buffer_.rest().find('\n'), buffer_.rest().size() - 1) + 1);
  }
  taken_ = false;
  fill();
  return !buffer_.rest().empty();
}

std::string_view CsvRecords::line() const {
  return trim(buffer_.rest().substr(0, buffer_.rest().find('\n')));
}

bool CsvRecords::split() {
  return splitter_.split(buffer_.rest(), buffer_.ended()) == ncu::SplitStatus::complete;
}

}  // namespace rooflab::import
