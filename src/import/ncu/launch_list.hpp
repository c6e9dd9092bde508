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

/// The columns that say which launch a row is of, as they stand.
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

/// The launches of a log, a row each.
///
/// IDs count from 0 in every process and in every report, so an ID that comes again is another
/// launch. Only when one file holds the raw and the details page of a report the same process, ID
/// and kernel on the other page are the same launch.
class LaunchList {
 public:
  LaunchList(record::KernelTable& kernels, LogFacts& facts) : kernels_(&kernels), facts_(&facts) {}

  /// Process and ID; nullopt where they are not numbers.
  [[nodiscard]] std::optional<LaunchKey> key_of(const IdentityFields& fields);

  /// A table of this page begins.
  void begin(Page page);

  /// The row of a launch that the page has not had; nullopt where the kernel has no name.
  [[nodiscard]] std::optional<std::size_t> open(const LaunchKey& key, const IdentityFields& fields);

 private:
  void note_device(const IdentityFields& fields, std::int32_t device);

  record::KernelTable* kernels_;
  LogFacts* facts_;
  std::optional<Page> page_;
  /// Rows of the other page, until met again; empty while the log has one kind of page.
  std::map<LaunchKey, std::size_t> other_page_;
  std::size_t page_begin_ = 0;  ///< first row of the present kind of page

  // Consecutive rows are mostly of one process.
  std::string last_process_id_;
  std::string last_process_name_;
  std::string last_host_;
  std::optional<record::NameTable::Id> last_process_;
};

/// `(64, 1, 1)`; {0, 0, 0} for anything else.
[[nodiscard]] record::Extent extent_from(std::string_view text);

}  // namespace rooflab::import::ncu
