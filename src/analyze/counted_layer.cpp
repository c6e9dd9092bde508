#include "rooflab/analyze/counted_layer.hpp"

#include <utility>

#include "rooflab/base/format.hpp"
#include "rooflab/base/quotient.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {

std::optional<double> CountedLayer::model_flops() const {
  return model ? std::optional(model->flops().as_double()) : std::nullopt;
}
std::optional<double> CountedLayer::flops_ratio() const {
  return quotient(sums.at(record::KernelFigure::flops), model_flops());
}
std::optional<double> CountedLayer::compulsory_bytes() const {
  return model ? std::optional(model->compulsory_bytes.as_double()) : std::nullopt;
}
std::optional<double> CountedLayer::bytes_ratio() const {
  return quotient(sums.at(record::KernelFigure::dram_bytes), compulsory_bytes());
}

std::string CountedLayer::causes() const {
  std::vector<std::string> words;
  for (const auto& [unit, gap] : {std::pair{"FLOP", &flops_gap}, std::pair{"bytes", &bytes_gap}}) {
    if (*gap) words.push_back(format("{}: {}", unit, name_of((*gap)->cause)));
  }
  if (!breaches.empty()) words.emplace_back("above a roof");
  if (!remark.empty()) words.push_back(remark);
  return join(words, "; ");
}

std::string CountedLayer::reasons() const {
  std::vector<std::string> texts;
  if (flops_gap) texts.push_back("FLOP: " + flops_gap->text);
  if (bytes_gap) texts.push_back("bytes: " + bytes_gap->text);
  for (const RoofBreach& breach : breaches) texts.push_back(breach.text);
  return join(texts, "; ");
}

}  // namespace rooflab::analyze
