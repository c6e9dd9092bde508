#include "rooflab/record/sample.hpp"

#include <utility>

namespace rooflab::record {

std::vector<SampleSeries> thinned(std::vector<SampleSeries> all, std::size_t most) {
  for (SampleSeries& series : all) {
    const std::size_t count = series.samples.size();
    if (count <= most) continue;
    std::vector<Sample> kept;
    kept.reserve(most);
    for (std::size_t i = 0; i < most; ++i) {
      kept.push_back(std::move(series.samples[i * (count - 1) / (most - 1)]));
    }
    series.samples = std::move(kept);
  }
  return all;
}

}  // namespace rooflab::record
