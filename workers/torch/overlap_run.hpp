#pragma once

#include <vector>

#include "data_parallel.hpp"
#include "device_backend.hpp"
#include "rank_job.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::torch_worker {

/// Measurements of a rank with concurrent kernels and all-reduces.
struct OverlapTimes {
  std::vector<device::MeasuredFigure> figures;  ///< `overlap.*` of this rank
  std::vector<Note> notes;                      ///< equal on all ranks
};

/// Measures the mutual slowdown of concurrent all-reduces and kernels. All ranks must call it
/// together; the method is at the head of overlap_run.cpp.
[[nodiscard]] OverlapTimes measure_overlap(DeviceBackend& backend, RankGroup& group, RankJob& job);

}  // namespace rooflab::torch_worker
