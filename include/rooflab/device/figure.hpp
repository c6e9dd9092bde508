#pragma once

#include <span>
#include <string>

#include "rooflab/base/described.hpp"

namespace rooflab::device {

/// A number of a device with the unit and the source that its file states.
struct Figure {
  double value = 0.0;          ///< in base units: FLOP/s, OP/s, B/s, B, Hz, W, or a count
  std::string unit;            ///< unit in the file: `TFLOP/s`, `GB/s`, `GB`, `MHz`, ...
  double printed_value = 0.0;  ///< value in the file, in `unit`
  std::string source;          ///< a citation, never empty
  bool recalled = false;       ///< written from memory, not read in a source
  std::string note;            ///< may be empty
};
[[nodiscard]] std::span<const Field> fields_of(For<Figure>);

/// A property that is not a quantity (`HBM2`, `4.0 x16`), with its source.
struct Fact {
  std::string value;
  std::string source;
  bool recalled = false;
  std::string note;
};
[[nodiscard]] std::span<const Field> fields_of(For<Fact>);

}  // namespace rooflab::device
