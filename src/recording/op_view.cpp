#include <algorithm>
#include <cmath>

#include "lowerer.hpp"

namespace rooflab::recording {
namespace {

/// A whole number, or the whole part of another one; `otherwise` for anything else.
std::int64_t whole_or(const Json& json, std::int64_t otherwise) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (!json.is_number()) return otherwise;
  const double number = json.get<double>();
  return std::abs(number) < 9.0e18 ? static_cast<std::int64_t>(number) : otherwise;
}

}  // namespace

OpView::OpView(Lowerer& lowerer, const Op& op)
    : lowerer_(&lowerer), op_(&op), place_(&lowerer.recording().place_of(op)) {
  full_name_ = lowerer.recording().name_of(op);
  const std::size_t dot = full_name_.find_first_of(".:");
  const std::string_view space = full_name_.substr(0, dot);
  if (space == "aten" || space == "prims") full_name_.remove_prefix(dot + 1);
  name_ = full_name_;
  // `__and__` and `__iand__` are names whose underscores belong to them.
  if (name_.ends_with('_') && !name_.ends_with("__")) name_.remove_suffix(1);
}

STensor OpView::in(std::size_t place) const { return tensor_of(op_->in, place); }
STensor OpView::out(std::size_t place) const { return tensor_of(op_->out, place); }

STensor OpView::tensor_of(const std::vector<Operand>& operands, std::size_t place) const {
  if (place >= operands.size()) return no_tensor;
  const auto* one = std::get_if<TensorId>(&operands[place]);
  return one == nullptr ? no_tensor : lowerer_->tensor_of(*one);
}

std::vector<STensor> OpView::list(std::size_t place) const { return list_of(op_->in, place); }
std::vector<STensor> OpView::out_list(std::size_t place) const { return list_of(op_->out, place); }

std::vector<STensor> OpView::list_of(const std::vector<Operand>& operands,
                                     std::size_t place) const {
  const auto* ids =
      place < operands.size() ? std::get_if<std::vector<TensorId>>(&operands[place]) : nullptr;
  std::vector<STensor> tensors;
  if (ids == nullptr) return tensors;
  for (const TensorId id : *ids) {
    const STensor tensor = lowerer_->tensor_of(id);
    if (tensor != no_tensor) tensors.push_back(tensor);
  }
  return tensors;
}

std::vector<STensor> OpView::flattened(const std::vector<Operand>& operands) const {
  std::vector<STensor> all;
  const auto add = [&](TensorId id) {
    const STensor tensor = lowerer_->tensor_of(id);
    if (tensor != no_tensor && std::ranges::find(all, tensor) == all.end()) all.push_back(tensor);
  };
  for (const Operand& operand : operands) {
    if (const auto* one = std::get_if<TensorId>(&operand)) {
      add(*one);
    } else {
      // Lists of an optimizer are long, and name each tensor once.
      for (const TensorId id : std::get<std::vector<TensorId>>(operand)) {
        const STensor tensor = lowerer_->tensor_of(id);
        if (tensor != no_tensor) all.push_back(tensor);
      }
    }
  }
  return all;
}

std::vector<STensor> OpView::all_in() const { return flattened(op_->in); }
std::vector<STensor> OpView::all_out() const { return flattened(op_->out); }

std::vector<STensor> OpView::written() const {
  std::vector<Operand> operands;
  for (const std::int32_t place : op_->writes) {
    operands.push_back(op_->in[static_cast<std::size_t>(place)]);
  }
  std::vector<STensor> all = flattened(operands);
  std::vector<schedule::StorageId> storages;
  for (const STensor id : all) storages.push_back(lowerer_->tensor(id).storage);
  std::ranges::sort(storages);
  for (const STensor id : all_out()) {
    if (!std::ranges::binary_search(storages, lowerer_->tensor(id).storage)) all.push_back(id);
  }
  return all;
}

const Json* OpView::argument(std::string_view key) const {
  const Json* const found = op_->arguments.find(key);
  return found == op_->arguments.end() || found->is_null() ? nullptr : found;
}

std::int64_t OpView::integer(std::string_view key, std::int64_t otherwise) const {
  const Json* const found = argument(key);
  return found == nullptr ? otherwise : whole_or(*found, otherwise);
}

double OpView::number_or(std::string_view key, double otherwise) const {
  const Json* const found = argument(key);
  return found == nullptr || !found->is_number() ? otherwise : found->get<double>();
}

bool OpView::flag(std::string_view key, bool otherwise) const {
  const Json* const found = argument(key);
  return found == nullptr || !found->is_boolean() ? otherwise : found->get<bool>();
}

std::string OpView::text(std::string_view key) const {
  const Json* const found = argument(key);
  return found == nullptr || !found->is_string() ? "" : found->text();
}

std::vector<std::int64_t> OpView::integers(std::string_view key) const {
  const Json* const found = argument(key);
  if (found == nullptr) return {};
  if (found->is_number()) return {whole_or(*found, 0)};
  std::vector<std::int64_t> all;
  if (!found->is_array()) return all;
  for (const Json& each : *found) all.push_back(whole_or(each, 0));
  return all;
}

std::vector<std::int64_t> OpView::spatial(std::string_view key, std::size_t rank,
                                          std::int64_t otherwise) const {
  std::vector<std::int64_t> all = integers(key);
  if (all.empty()) all = {otherwise};
  if (all.size() < rank) all.resize(rank, all.back());
  return all;
}

Pass OpView::plain_pass() const {
  switch (place_->part) {
    case Part::forward:
      return Pass::forward;
    case Part::backward:
      return Pass::backward;
    case Part::optimizer:
    case Part::other:
      return Pass::optimizer;
  }
  return Pass::forward;
}

}  // namespace rooflab::recording
