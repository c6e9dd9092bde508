#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "plan.hpp"

namespace rooflab::study {

/// Origin of the results in a folder (its `study.json`), so that a page can be made on a machine
/// that has not run them. Folders of older versions have only the title.
struct StudyOrigin {
  std::string title;  ///< title of the study; a folder has the cases of one study
  /// Machine for which the cases were planned. Planning for it again gives equal cases, so that
  /// their outcomes are found. nullopt: not known.
  std::optional<Machine> machine;
  std::string command;  ///< the command line of the whole run, not of one shard; empty: not known

  friend bool operator==(const StudyOrigin&, const StudyOrigin&) = default;
};

[[nodiscard]] std::span<const Field> fields_of(For<StudyOrigin>);
[[nodiscard]] FileKind file_kind_of(For<StudyOrigin>);

/// Reads the origin of a folder. Throws Error (input) where the folder has no study.
[[nodiscard]] StudyOrigin read_origin(const std::filesystem::path& folder);
/// Reads the origin of a folder. Throws Error (input) where the folder has no study, or a study
/// with another title.
[[nodiscard]] StudyOrigin read_origin(const std::filesystem::path& folder,
                                      const std::string& title);

/// Reads the origin of a folder. Throws Error (input) with `hint` where the folder has no study, or
/// a study with another title.
[[nodiscard]] StudyOrigin read_origin_as(const std::filesystem::path& folder,
                                         const std::string& title, const std::string& hint);

}  // namespace rooflab::study
