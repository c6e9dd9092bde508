#include "rooflab/base/precision.hpp"

namespace rooflab {

std::vector<std::string> precisions_to_ask_for() {
  const auto& all = enum_names<Precision>;
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(Precision::fp8)};
}

std::optional<Precision> precision_of_type(DType type) {
  switch (type) {
    case DType::f64:
      return Precision::fp64;
    case DType::f32:
      return Precision::fp32;
    case DType::f16:
      return Precision::fp16;
    case DType::bf16:
      return Precision::bf16;
    case DType::f8:
      return Precision::fp8;
    case DType::i8:
    case DType::u8:
      return Precision::int8;
    default:
      return std::nullopt;
  }
}

std::optional<DType> autocast_type(Precision precision) {
  switch (precision) {
    case Precision::amp:
    case Precision::amp_bf16:
      return DType::bf16;
    case Precision::amp_fp16:
      return DType::f16;
    default:
      return std::nullopt;
  }
}

bool scales_loss(Precision precision) { return autocast_type(precision) == DType::f16; }

Precision autocast_on(bool computes_bf16, Precision asked) {
  return asked == Precision::amp && !computes_bf16 ? Precision::amp_fp16 : asked;
}

}  // namespace rooflab
