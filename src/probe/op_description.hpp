#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/device/calibration.hpp"
#include "size_formula.hpp"

namespace rooflab::probe {

/// Rows of a table that belong together: those whose cells match `when`.
struct RowChoice {
  std::vector<std::pair<std::string, std::string>> when;  ///< column and cell; all must match
  Location place;                                         ///< in the description
};

/// Rows that become one kind of op.
struct OpRule {
  RowChoice rows;
  std::string kind;  ///< `conv2d.forward.fp32.nchw`
  std::vector<std::string>
      names;  ///< names of the numbers in the packed cell, or the number columns
  std::vector<SizeFormula> sizes;  ///< in the order of predict::columns_of
  /// Rows of the reference device are compared with its own calibration, in bins of powers of two
  /// of this size; nullopt: all in one bin.
  std::optional<std::size_t> factor_by;
  /// Correction for a device: an additional divisor of its times, the spread, and the reason.
  struct Correction {
    double factor = 1.0;
    double spread = 0.0;
    std::string why;
  };
  std::map<std::string, Correction> corrections;
};

/// Rows that become messages between devices.
struct LinkRule {
  RowChoice rows;
  std::string collective;
  std::string ranks_column;
  std::string bytes_column;
  double bytes_each = 1.0;  ///< bytes of one unit of that column
};

/// Description of a table of published single ops; docs/formats/published_ops.md describes the
/// file.
struct OpDescription {
  std::string file;
  std::string table;  ///< name of the table's file
  std::string origin_name;
  device::Origin origin;
  std::string device_column;
  std::map<std::string, std::string> devices;  ///< name in the table to id in the catalog
  std::string time_column;
  double seconds_each = 1.0;
  std::string packed_column;  ///< column with all sizes in one cell; empty: one column per size
  char separator = 'x';
  std::vector<std::string> number_columns;
  std::vector<std::string> text_columns;  ///< columns that choose rows
  std::vector<std::string> ignored_columns;
  /// Whether times run from before a launch to the kernel's end (docs/methods/probe.md).
  bool launch_in_time = false;
  std::string reference;  ///< id of the calibration of a device with both own and published times
  std::vector<OpRule> ops;
  std::vector<LinkRule> links;
  std::vector<RowChoice> left_out;

  /// Columns that the table must have, in any order, and no others.
  [[nodiscard]] std::vector<std::string> columns() const;
};

/// Reads a description. `kinds` are those of all known calibrations: the op, pass and type of a
/// rule's kind must occur among them, so that a misspelt kind is found. Throws Error (input) with
/// file:line:column.
[[nodiscard]] OpDescription read_op_description(std::string_view text, std::string file,
                                                const std::vector<std::string>& kinds);

}  // namespace rooflab::probe
