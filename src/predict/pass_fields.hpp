#pragma once

#include "describe/field_table.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::predict {

/// Fields with the work of the forward and the backward pass, for networks and layers.
inline constexpr auto pass_fields =
    field_table(field<IfThere{&Work::forward, &PassWork::flops}>("forward_flop"),
                field<IfThere{&Work::forward, &PassWork::matrix_flops}>("forward_matrix_flop"),
                field<IfThere{&Work::forward, &PassWork::bytes}>("forward_bytes"),
                field<IfThere{&Work::backward, &PassWork::flops}>("backward_flop"),
                field<IfThere{&Work::backward, &PassWork::matrix_flops}>("backward_matrix_flop"),
                field<IfThere{&Work::backward, &PassWork::bytes}>("backward_bytes"));

}  // namespace rooflab::predict
