#include "rooflab/record/name_table.hpp"

namespace rooflab::record {

// The keys of ids_ point into names_: a copy needs its own.
NameTable::NameTable(const NameTable& other) {
  for (const std::string& name : other.names_) intern(name);
}

NameTable& NameTable::operator=(const NameTable& other) {
  if (this != &other) *this = NameTable(other);
  return *this;
}

NameTable::Id NameTable::intern(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  const Id id = static_cast<Id>(names_.size());
  ids_.emplace(names_.emplace_back(name), id);
  return id;
}

}  // namespace rooflab::record
