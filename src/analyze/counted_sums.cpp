#include "rooflab/analyze/counted_sums.hpp"

#include "rooflab/base/quotient.hpp"

namespace rooflab::analyze {

std::optional<double> CountedSums::intensity() const { return quotient(flops, dram_bytes); }
std::optional<double> CountedSums::flops_per_s() const { return quotient(flops, time_s); }
std::optional<double> CountedSums::bytes_per_s() const { return quotient(dram_bytes, time_s); }

}  // namespace rooflab::analyze
