#pragma once

#include <string>

#include "rooflab/base/error.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/study/plan.hpp"

namespace rooflab::study {

/// A device of a case, resolved.
struct Place {
  std::string word{};  ///< in a command line: `cuda:0`, `cpu`, `t4`; empty: no such device
  std::string id{};    ///< for people and for joins: the catalog's id where there is one
  bool here = false;
  bool catalogued = false;
  std::string missing{};  ///< why no such device was found

  [[nodiscard]] bool is_cpu() const { return word == "cpu"; }
};

/// What a study's word for a device means on this machine. Throws Error (input) at `location` for
/// a name that the catalog does not know.
[[nodiscard]] Place place_of(const std::string& word, const Location& location,
                             const Machine& machine, const device::Catalog& catalog);

}  // namespace rooflab::study
