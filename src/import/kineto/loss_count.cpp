#include "loss_count.hpp"

#include "base/format.hpp"
#include "token.hpp"

namespace rooflab::import::kineto {
namespace {

record::Loss loss(std::string what, std::int64_t count, std::uint64_t first) {
  return {std::move(what), count, format("byte {}", first)};
}

}  // namespace

void LossCount::count(Entry& entry, std::uint64_t offset) {
  if (entry.count++ == 0) entry.first = offset;
}

void LossCount::add(LossKind kind, std::uint64_t offset) {
  count(entries_[static_cast<std::size_t>(kind)], offset);
}

void LossCount::add_unknown(std::string_view category, std::uint64_t offset) {
  // Categories come from the file: it must not be able to make the list long.
  constexpr std::size_t most_categories = 40;
  constexpr std::size_t longest = 64;
  std::string scratch;
  std::string key(text_of(category, scratch).substr(0, longest));
  key = valid_utf8(key);
  auto found = unknown_.find(key);
  if (found == unknown_.end()) {
    if (unknown_.size() >= most_categories) key = "(others)";
    found = unknown_.try_emplace(key).first;
  }
  count(found->second, offset);
}

std::int64_t LossCount::total() const {
  std::int64_t total = 0;
  for (const Entry& entry : entries_) total += entry.count;
  for (const auto& [category, entry] : unknown_) total += entry.count;
  return total;
}

std::vector<record::Loss> LossCount::losses() const {
  std::vector<record::Loss> losses;
  for (const LossKind kind : values_of<LossKind>) {
    const Entry& entry = at(kind);
    if (entry.count > 0) {
      losses.push_back(loss(std::string(name_of(kind)), entry.count, entry.first));
    }
  }
  for (const auto& [category, entry] : unknown_) {
    losses.push_back(loss(format("events of the category '{}', which are not used", category),
                          entry.count, entry.first));
  }
  return losses;
}

}  // namespace rooflab::import::kineto
