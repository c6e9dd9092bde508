#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "plan.hpp"

namespace rooflab::study {

/// Where the results of a folder come from: `study.json` in it, so that a page can be made on a
/// machine that has not run them. Folders of older versions say the title only.
struct StudyOrigin {
  std::string title;  ///< title of the study: a folder holds the cases of one
  /// That the cases were planned for. Planned for it once more, they are the same cases, and so
  /// their outcomes are found. nullopt: not known.
  std::optional<Machine> machine;
  std::string command;  ///< the command line of the whole run, not of one shard; empty: not known

  friend bool operator==(const StudyOrigin&, const StudyOrigin&) = default;
};

[[nodiscard]] std::span<const Field> fields_of(For<StudyOrigin>);
[[nodiscard]] FileKind file_kind_of(For<StudyOrigin>);

/// Throws Error (input) where the folder holds no study.
[[nodiscard]] StudyOrigin read_origin(const std::filesystem::path& folder);
/// The same; throws Error (input) too when the folder is that of a study with another title.
[[nodiscard]] StudyOrigin read_origin(const std::filesystem::path& folder,
                                      const std::string& title);

/// The same with another hint.
[[nodiscard]] StudyOrigin read_origin_as(const std::filesystem::path& folder,
                                         const std::string& title, const std::string& hint);

}  // namespace rooflab::study
