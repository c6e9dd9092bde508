#pragma once

#include <cstddef>
#include <span>

#include "rooflab/predict/time_model.hpp"
#include "step_uncertainty.hpp"

/// The kinds of kernels that a step's time is made of.
namespace rooflab::predict {

/// Whether the op's time is part of the device's.
[[nodiscard]] bool is_of_device(const schedule::Schedule& schedule, const StepTime& step,
                                std::size_t i);

/// Sums the step up by kind; messages are in none.
void summarise(const schedule::Schedule& schedule, StepTime& step);

/// Adds what is to be said of the kinds: what they rest on, and how far that can be trusted.
void add_kind_notes(const schedule::Schedule& schedule, const TimeModel& model,
                    std::span<const ShapeShare> shapes, StepTime& step);

/// Adds what the device's time has beyond its kinds of kernels, so that all rows make that time:
/// the pauses between kernels, and messages that no kernel runs next to.
void add_pauses(const schedule::Schedule& schedule, StepTime& step, const TimeModel& model,
                double deviation);

}  // namespace rooflab::predict
