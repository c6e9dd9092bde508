#include "attributes.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace rooflab::onnx {
namespace {

const AttributeView* find_in(const std::vector<AttributeView>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &AttributeView::name);
  return found == attributes.end() ? nullptr : &*found;
}

}  // namespace

double as_written(float value) {
  return parse_number(format("{}", value)).value_or(static_cast<double>(value));
}

const AttributeView* Attributes::find(std::string_view name) const {
  const AttributeView* own = find_in(node_.attributes, name);
  if (own == nullptr || own->reference.empty()) return own;
  if (call_ != nullptr) {
    if (const AttributeView* given = call_->find(own->reference)) return given;
  }
  return function_ == nullptr ? nullptr : find_in(function_->defaults, own->reference);
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t otherwise) const {
  const AttributeView* attribute = find(name);
  return attribute == nullptr ? otherwise : attribute->integer;
}

double Attributes::number(std::string_view name, double otherwise) const {
  const AttributeView* attribute = find(name);
  return attribute == nullptr ? otherwise : as_written(attribute->number);
}

std::string_view Attributes::text(std::string_view name, std::string_view otherwise) const {
  const AttributeView* attribute = find(name);
  return attribute == nullptr ? otherwise : attribute->text.read();
}

std::optional<std::vector<std::string_view>> Attributes::texts(std::string_view name) const {
  const AttributeView* attribute = find(name);
  if (attribute == nullptr) return std::nullopt;
  return attribute->texts;
}

std::optional<std::vector<std::int64_t>> Attributes::integers(std::string_view name) const {
  const AttributeView* attribute = find(name);
  if (attribute == nullptr) return std::nullopt;
  return attribute->integers;
}

std::optional<std::vector<double>> Attributes::numbers(std::string_view name) const {
  const AttributeView* attribute = find(name);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<double>(attribute->numbers.begin(), attribute->numbers.end());
}

}  // namespace rooflab::onnx
