#pragma once

#include <vector>

#include "data_parallel.hpp"
#include "device_backend.hpp"
#include "rank_job.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::torch_worker {

/// What a rank measured of kernels beside all-reduces.
struct OverlapTimes {
  std::vector<device::MeasuredFigure> figures;  ///< `overlap.*`, of this rank
  std::vector<Note> notes;                      ///< the same on all ranks
};

/// How much all-reduces and kernels at the same time slow each other. All ranks call it together;
/// the method is at the head of overlap_run.cpp.
[[nodiscard]] OverlapTimes measure_overlap(DeviceBackend& backend, RankGroup& group, RankJob& job);

}  // namespace rooflab::torch_worker
