#pragma once

#include <optional>
#include <string>

#include "command.hpp"
#include "rooflab/report/import_view.hpp"

namespace rooflab::cli {

/// `--per` and `--top`: what the tables of recordings have rows for, and how many.
class ImportViewOptions {
 public:
  void add_to(Command command);
  /// Throws Error (usage).
  [[nodiscard]] report::ImportView view() const;

 private:
  std::string per_ = "file";
  std::optional<std::string> top_;
};

}  // namespace rooflab::cli
