#pragma once

#include "figure_list.hpp"

/// What each command's JSON says, by the quantities of a study. Every function takes the whole file
/// and reads its first case.
namespace rooflab::study {

// network_figures.cpp
void add_summary(FigureList& figures, const Json& result);
void add_predict(FigureList& figures, const Json& result);
void add_measure(FigureList& figures, const Json& result);

// devices_figures.cpp
void add_scaling(FigureList& figures, const Json& result);  ///< `scale` and `predict --gpus`
void add_partition(FigureList& figures, const Json& result);
void add_fit(FigureList& figures, const Json& result);

/// The counts at a point of what fits: of the search on the device where there was one, else of the
/// prediction.
[[nodiscard]] const Json& boundary_of(const Json& point);

// training_figures.cpp
void add_train(FigureList& figures, const Json& result);
void add_evaluate(FigureList& figures, const Json& result);

// recorded_figures.cpp
void add_recorded(FigureList& figures, const Json& result);  ///< `profile` and `import`
void add_probe(FigureList& figures, const Json& result);

/// `sums` of counters over kernels, with their coverage: what only a part of the kernels tells is
/// not a figure of the step. `step` is the whole step's, or null.
void add_counted(FigureList& figures, const Json& sums, const Json& step);

}  // namespace rooflab::study
