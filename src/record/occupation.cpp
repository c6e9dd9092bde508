#include "occupation.hpp"

namespace rooflab::record {

void set_occupation(KernelTable& kernels,
                    const std::function<std::optional<int>(int device)>& multiprocessors) {
  constexpr double warp = 32.0;
  const auto product = [](const Extent& extent) {
    return static_cast<double>(extent[0]) * extent[1] * extent[2];
  };
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const KernelLaunch& launch = kernels.launch(row);
    if (launch.grid == Extent{}) continue;  // not known
    const int count = multiprocessors(launch.device).value_or(0);
    if (count < 1) continue;
    const double blocks = product(launch.grid) / count;
    kernels.set(KernelFigure::blocks_per_sm, row, blocks);
    kernels.set(KernelFigure::warps_per_sm, row, blocks * product(launch.block) / warp);
  }
}

}  // namespace rooflab::record
