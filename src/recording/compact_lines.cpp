#include "compact_lines.hpp"

#include <algorithm>

namespace rooflab::recording {

bool CompactLines::read(std::string_view text, int number) {
  CompactLine line(text);
  if (line.take("{\"op\":\"")) return read_op(line, number);
  if (line.take("{\"tensor\":")) return read_tensor(line);
  if (line.take("{\"storage\":")) return read_storage(line);
  if (line.take("{\"free\":[")) return read_free(line);
  if (!text.starts_with("{\"at\":")) return false;
  const auto known = known_places_.find(text);
  if (known == known_places_.end()) return false;
  recording_.go_to(known->second);
  return true;
}

void CompactLines::remember(std::string_view text, const Op& op) {
  CompactLine line(text);
  std::string_view name;
  Op same;
  if (!line.take("{\"op\":\"") || !line.take_text(name) || !take_call(line, same.call)) return;
  if (!line.take(",\"in\":[")) return;
  if (!take_operands(line, same.in) || !line.take(",\"out\":[")) return;
  if (!take_operands(line, same.out) || same.in != op.in || same.out != op.out) return;
  known_endings_.emplace(line.rest(), recording_.made.ops.size());
}

bool CompactLines::read_tensor(CompactLine line) {
  std::int64_t id = 0;
  std::int64_t layout = 0;
  std::int64_t storage = 0;
  std::int64_t offset = 0;
  if (!line.take(id) || !line.take(",\"layout\":") || !line.take(layout)) return false;
  if (!line.take(",\"storage\":") || !line.take(storage)) return false;
  if (line.take(",\"offset\":") && !line.take(offset)) return false;
  const bool known = line.take("}") && line.done() &&
                     id == static_cast<std::int64_t>(recording_.made.tensors.size()) &&
                     layout < static_cast<std::int64_t>(recording_.made.layouts.size()) &&
                     storage < static_cast<std::int64_t>(recording_.made.storages.size()) &&
                     offset <= most_extent;
  if (known)
    recording_.add(
        Tensor{static_cast<std::int32_t>(layout), static_cast<std::int32_t>(storage), offset});
  return known;
}

/// A storage that is born now and has no role.
bool CompactLines::read_storage(CompactLine line) {
  std::int64_t id = 0;
  std::int64_t bytes = 0;
  std::string_view device;
  if (!line.take(id) || !line.take(",\"bytes\":") || !line.take(bytes)) return false;
  if (!line.take(",\"device\":\"") || !line.take_text(device) || !line.take("}")) return false;
  const bool next = line.done() && bytes <= most_extent &&
                    id == static_cast<std::int64_t>(recording_.made.storages.size());
  if (!next) return false;
  ++recording_.storage_lines;
  Storage storage;
  storage.bytes = Bytes(bytes);
  storage.device = device;
  recording_.add(std::move(storage));
  return true;
}

bool CompactLines::read_free(CompactLine line) {
  std::vector<std::int32_t> freed;
  do {
    std::int64_t id = 0;
    if (!line.take(id) || id >= static_cast<std::int64_t>(recording_.made.storages.size()))
      return false;
    freed.push_back(static_cast<std::int32_t>(id));
    if (recording_.is_freed(id)) return false;
  } while (line.take(","));
  std::vector<std::int32_t> sorted = freed;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return false;
  if (!line.take("]}") || !line.done()) return false;
  ++recording_.free_lines;
  for (const std::int32_t id : freed) recording_.add_free(id);
  return true;
}

bool CompactLines::read_op(CompactLine line, int number) {
  Op op;
  std::string_view name;
  if (!line.take_text(name) || !take_call(line, op.call)) return false;
  if (!line.take(",\"in\":[") || !take_operands(line, op.in)) return false;
  if (!line.take(",\"out\":[") || !take_operands(line, op.out)) return false;
  if (line.rest() != "}") {  // arguments repeat from layer to layer
    const auto known = known_endings_.find(line.rest());
    if (known == known_endings_.end()) return false;
    const Op& like = recording_.made.ops[known->second];
    if (like.in.size() > op.in.size()) return false;
    op.arguments = like.arguments;
    op.writes = like.writes;
    op.ranks = like.ranks;
    op.wrapped = like.wrapped;
  }
  op.name = recording_.number_of_op(name);
  recording_.add(std::move(op), number);
  return true;
}

/// A number that only recordings made with a profile have.
bool CompactLines::take_call(CompactLine& line, std::int64_t& call) {
  return !line.take(",\"call\":") || line.take(call);
}

/// Up to the bracket that closes the list.
bool CompactLines::take_operands(CompactLine& line, std::vector<Operand>& all) const {
  if (line.take("]")) return true;
  do {
    if (line.take("[")) {
      std::vector<TensorId> list;
      if (!line.take("]")) {
        do {
          list.emplace_back();
          if (!take_operand(line, list.back())) return false;
        } while (line.take(","));
        if (!line.take("]")) return false;
      }
      all.emplace_back(std::move(list));
    } else {
      TensorId one = absent;
      if (!take_operand(line, one)) return false;
      all.emplace_back(one);
    }
  } while (line.take(","));
  return line.take("]");
}

bool CompactLines::take_operand(CompactLine& line, TensorId& operand) const {
  if (line.take("null")) {
    operand = absent;
    return true;
  }
  std::int64_t id = 0;
  if (!line.take(id) || id >= static_cast<std::int64_t>(recording_.made.tensors.size()))
    return false;
  operand = static_cast<TensorId>(id);
  return true;
}

}  // namespace rooflab::recording
