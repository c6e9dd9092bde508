#include "json_mutation.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "byte_mutation.hpp"
#include "rooflab/base/json.hpp"

namespace mutator {
namespace {

using rooflab::Json;

/// A value and the object or list that holds it.
struct Place {
  Json* value;
  Json* holder;
};

void collect(Json& value, Json* holder, std::vector<Place>& places) {
  places.push_back({&value, holder});
  if (!value.is_array() && !value.is_object()) return;
  for (Json& each : value) collect(each, &value, places);
}

Json stray_value(RandomSource& random) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  switch (random.below(20)) {
    case 0:
      return nullptr;
    case 1:
      return true;
    case 2:
      return 0;
    case 3:
      return -1;
    case 4:
      return most;
    case 5:
      return least;
    case 6:
      return std::numeric_limits<std::uint64_t>::max();
    case 7:
      return 1e308;
    case 8:
      return -1e308;
    case 9:
      return 5e-324;
    case 10:
      return 0.5;
    case 11:
      return "";
    case 12:
      return "x";
    case 13:
      return "\x1b[31m\x07\u202e<script>alert(1)</script>\u0085";
    case 14:
      return std::string(random.one_in(4) ? 1'000'000 : 300, 'a');
    case 15:
      return "../../../../etc/passwd";
    case 16:
      return Json::array();
    case 17:
      return Json::object();
    case 18:
      return Json::array({Json(1), Json("a"), Json()});
    default:
      return 1LL << random.below(63);
  }
}

Json nested(Json value, std::size_t levels) {
  for (std::size_t i = 0; i < levels; ++i) {
    Json outer = i % 2 == 0 ? Json::array() : Json::object();
    if (i % 2 == 0) {
      outer.push_back(std::move(value));
    } else {
      outer["a"] = std::move(value);
    }
    value = std::move(outer);
  }
  return value;
}

/// Drops, doubles, renames or moves what an object or list holds.
void damage_holder(Json& holder, const Json& stray, RandomSource& random) {
  const std::size_t at = random.below(holder.size());
  if (holder.is_object()) {
    if (holder.empty()) {
      holder["x"] = stray;
      return;
    }
    const std::string key = holder.keys()[at];
    const Json value = holder.begin()[at];
    if (random.one_in(2)) holder.erase(key);
    if (random.one_in(2)) holder[random.one_in(2) ? key + "x" : "\x01" + key] = value;
    return;
  }
  Json changed = Json::array();
  std::size_t copies = random.one_in(8) ? 3'000 : random.below(4);
  if (!holder.empty())
    copies = std::min(copies, most_bytes / (holder.begin()[at].dump().size() + 1));
  for (std::size_t i = 0; i < holder.size(); ++i) {
    for (std::size_t n = 0; n < (i == at ? copies : 1); ++n) changed.push_back(holder.begin()[i]);
  }
  holder = std::move(changed);
}

void damage(Json& root, RandomSource& random) {
  std::vector<Place> places;
  collect(root, nullptr, places);
  const Place place = random.any_of(places);
  // A copy: what is written over may hold it.
  const Json other = *random.any_of(places).value;
  switch (random.below(6)) {
    case 0:
    case 1:
      *place.value = stray_value(random);
      break;
    case 2:
      *place.value = other;
      break;
    case 3:
      *place.value = nested(*place.value, 1 + random.below(random.one_in(4) ? 500 : 3));
      break;
    default:
      if (place.value->is_array() || place.value->is_object()) {
        damage_holder(*place.value, other, random);
      } else if (place.holder != nullptr) {
        damage_holder(*place.holder, other, random);
      }
  }
}

}  // namespace

bool damage_json(std::string& content, RandomSource& random) {
  if (std::optional<Json> whole = Json::parse_if_valid(content)) {
    damage(*whole, random);
    content = whole->dump(random.one_in(2) ? 2 : -1);
    return true;
  }
  std::vector<std::size_t> lines = {0};
  for (std::size_t at = content.find('\n'); at != std::string::npos && at + 1 < content.size();
       at = content.find('\n', at + 1)) {
    lines.push_back(at + 1);
  }
  const std::size_t begin = random.any_of(lines);
  const std::size_t size = content.find('\n', begin) - begin;
  std::optional<Json> line = Json::parse_if_valid(content.substr(begin, size));
  if (!line) return false;
  damage(*line, random);
  content.replace(begin, std::min(size, content.size() - begin), line->dump());
  return true;
}

}  // namespace mutator
