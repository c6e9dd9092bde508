#include "rooflab/base/precision.hpp"

namespace rooflab {

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
