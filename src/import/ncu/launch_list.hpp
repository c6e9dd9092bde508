#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "log_facts.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::import::ncu {

enum class Page : std::uint8_t { raw, details, text };

/// The columns that identify the launch of a row, as they are written.
struct IdentityFields {
  std::string_view id;
  std::string_view process_id;
  std::string_view process_name;
  std::string_view host;
  std::string_view kernel;
  std::string_view stream;
  std::string_view block;
  std::string_view grid;
  std::string_view device;
  std::string_view capability;
};

/// Numbers of a launch's identity, names interned.
struct LaunchKey {
  record::NameTable::Id process = 0;
  std::int64_t id = 0;

  friend bool operator<(const LaunchKey& a, const LaunchKey& b) {
    return a.process != b.process ? a.process < b.process : a.id < b.id;
  }
};

/// The launches of a log, one row each.
///
/// IDs count from 0 in every process and in every report, so a repeated ID is another launch. Only
/// if one file has the raw and the details page of a report, equal process, ID and kernel on the
/// other page are the same launch.
class LaunchList {
 public:
  LaunchList(record::KernelTable& kernels, LogFacts& facts) : kernels_(&kernels), facts_(&facts) {}

  /// Process and ID of a row; nullopt where they are not numbers.
  [[nodiscard]] std::optional<LaunchKey> key_of(const IdentityFields& fields);

  /// Begins a table of this page.
  void begin(Page page);

  /// Opens the row of a launch that is new on the page; nullopt where the kernel has no name.
  [[nodiscard]] std::optional<std::size_t> open(const LaunchKey& key, const IdentityFields& fields);

 private:
  void note_device(const IdentityFields& fields, std::int32_t device);

  record::KernelTable* kernels_;
  LogFacts* facts_;
  std::optional<Page> page_;
  /// Rows of the other page that were not found on this page yet; empty if the log has one kind of
  /// page.
  std::map<LaunchKey, std::size_t> other_page_;
  std::size_t page_begin_ = 0;  ///< first row of the present kind of page

  // Process of the last row: consecutive rows usually belong to one process.
  std::string last_process_id_;
  std::string last_process_name_;
  std::string last_host_;
  std::optional<record::NameTable::Id> last_process_;
};

/// Parses `(64, 1, 1)`; {0, 0, 0} for anything else.
[[nodiscard]] record::Extent extent_from(std::string_view text);

}  // namespace rooflab::import::ncu
