#pragma once

#include <array>

#include "rooflab/describe/figure_mark.hpp"

/// Words of the vocabulary for networks: their work, limits, predictions, memory, comparisons, what
/// fits.
namespace rooflab {

inline constexpr std::array network_words = std::to_array<Figure>({
    // Work of a network
    {"output_shape", "output",
     "Extents of the output, outermost first; null for `(loss)`, `(optimizer)` and what the phase"
     " does not run."},
    amount(
        {"parameters", "parameters",
         "Trained values, shared ones once (of layers at the first user); batch-norm statistics are"
         " not among them."}),
    {"causal_macs", "causal MACs", "The same with the visible half of causal attention alone.",
     Better::neither, NumberStyle::scaled},
    {"matrix_flop", "matrix FLOPs",
     "FLOPs of convolution, linear, matmul, attention, recurrent layers: 2 per MAC in every pass."},
    {"vector_flop", "vector FLOPs", "FLOPs of everything else."},
    {"data_gradient_flop", "data gradient FLOPs",
     "FLOPs of the gradient with respect to the layer's inputs; 0 outside training."},
    {"weight_gradient_flop", "weight gradient FLOPs",
     "FLOPs of the gradient with respect to the layer's parameters; 0 outside training."},
    {"forward_flop", "forward FLOPs", "FLOPs of the forward pass, without the loss."},
    {"forward_matrix_flop", "forward matrix FLOPs", "Those of matrix work among them."},
    {"forward_bytes", "forward bytes", "Compulsory bytes of the forward pass, without the loss."},
    {"backward_flop", "backward FLOPs",
     "FLOPs of the backward pass, data and weight gradients, without the loss; 0 outside "
     "training."},
    {"backward_matrix_flop", "backward matrix FLOPs", "Those of matrix work among them."},
    {"backward_bytes", "backward bytes",
     "Compulsory bytes of the backward pass, without the loss; 0 outside training."},
    {"path_flop", "FLOPs by path", "FLOPs by arithmetic path (device.md)."},
    {"ideal_bytes", "ideal bytes", "Bytes that move when the network is one fused operation."},
    {"activation_bytes", "activations",
     "Every layer's output once, in-place ones included, views not."},
    {"torchsummary_pass_bytes", "forward/backward, torchsummary",
     "Forward/backward pass size by torchsummary's rule: twice every layer's output."},
    {"torchinfo_pass_bytes", "forward/backward, torchinfo",
     "Forward/backward pass size by torchinfo's rule: twice the output of layers with their own"
     " parameters."},
    {"counted_nodes", "counted nodes", "Nodes that compute and have a cost rule."},
    {"computing_nodes", "computing nodes", "Nodes that compute."},
    {"uncounted", "not counted", "Operations without a cost rule, by name."},

    // Limits and predictions
    {"prediction_model", "model",
     "How the expected time was computed: `calibrated`, `ppp` (percent of peak), or `limit`: only a"
     " bound."},
    {"ppp_s", "ppp",
     "Every operation at the percent of peak that --ppp gives, summed; null without --ppp.",
     Better::lower},
    {"ppp", "ppp", "The percent of peak of --ppp; null without."},
    {"compute_share", "of the peak", "Share of the arithmetic peak that is reached."},
    {"bandwidth_share", "of the bandwidth", "Share of the memory's bandwidth that is reached."},
    {"kinds", "kinds", "Kinds of operations, longest first."},
    amount({"deviation_share", "deviation",
            "Standard deviation of the logarithm of the time: 0.1 is about 10 %.", Better::lower}),
    {"origin", "origin", "Who published the measurements; empty where `rooflab probe` made them."},

    // Memory that is needed
    {"parameter_bytes", "parameters", "Parameters, in the precision asked for.", Better::lower},
    {"buffer_bytes", "buffers", "Running statistics and constants.", Better::lower},
    {"gradient_bytes", "gradients", "Gradients of parameters; 0 outside training.", Better::lower},
    {"optimizer_bytes", "optimizer", "The optimizer's state; 0 outside training.", Better::lower},
    {"input_bytes", "input", "The network's input.", Better::lower},
    {"cache_bytes", "KV cache",
     "Keys and values when the step ends; where it drops them, the most at once; absent without "
     "them.",
     Better::lower},
    {"peak_activation_bytes", "peak activations",
     "Largest sum of activations and their gradients alive at once.", Better::lower},
    {"exchange_bytes", "buckets",
     "Buckets of a data-parallel step, a copy of all gradients; absent where nothing is exchanged.",
     Better::lower},
    {"communication_buffer_bytes", "link buffers",
     "Buffers of the library that exchanges messages; absent where nothing is exchanged.",
     Better::lower},
    {"workspace_bytes", "workspace",
     "Memory of the libraries' algorithms: the largest one that is expected, and what cuBLAS keeps;"
     " null where no calibration says anything about it.",
     Better::lower},
    answer({"total_bytes", "memory",
            "`reserved_peak_bytes` + `context_bytes` + `communication_buffer_bytes`, the unknown"
            " parts left out.",
            Better::lower}),
    {"most_total_bytes", "most memory",
     "The same with the largest plausible workspaces and context, which the verdict `fits` "
     "assumes.",
     Better::lower},
    {"least_total_bytes", "least memory",
     "Tensors alive at once, what libraries keep and half of the context, as far as these were"
     " observed on the device; where they are more than the device's memory the verdict is `oom`.",
     Better::lower},
    {"assumed", "assumed", "Parts of the memory that were not observed on the device itself."},
    {"part", "part", "Part of the memory: `workspace`, `context`."},
    {"expected_bytes", "expected", "Bytes of it in `total_bytes`.", Better::lower},
    {"most_bytes", "most", "Bytes of it in `most_total_bytes`.", Better::lower},
    {"unknown", "unknown", "Names of the parts that are null: nothing bounds them."},
    {"device_memory_bytes", "device has",
     "Memory of the device, as the datasheet states it; null where it is unknown."},
    left_share({"margin_share", "margin",
                "(device memory - `total_bytes`) / device memory; null with `verdict`.",
                Better::higher}),
    answer({"verdict", "verdict",
            "Whether the memory is enough: `fits` (`most_total_bytes` leaves 10 % free), `likely` "
            "(`total_bytes` does), `risky` (it may run) or `oom` (not even `least_total_bytes` is "
            "there), null where the device's memory or what some operations take is unknown."}),

    // Comparisons
    {"pairs", "pairs", "Cases that are compared."},
    {"only_first", "only in A", "Cases of A without a partner."},
    {"only_second", "only in B", "Cases of B without a partner."},
    {"a", "A", "The first of two cases."},
    {"b", "B", "The second of two cases."},
    {"measured", "measured", "It was measured; else predicted."},
    {"time_of", "time of", "Which time it is: `measured`, `calibrated`, `ppp` or `limit`."},
    {"time_low_s", "low",
     "Lower end of the interval of the median (95 %) or of a calibrated time (90 %); null for"
     " other times.",
     Better::lower},
    {"time_high_s", "high", "Upper end of that interval.", Better::lower},
    {"steps", "steps", "Timed steps."},
    {"speedup", "speed-up", "How many times as fast, above 1 it is faster.", Better::higher,
     NumberStyle::factor},
    {"speedup_low", "low", "Lower end of the speed-up's interval; null without one.",
     Better::higher, NumberStyle::factor},
    {"speedup_high", "high", "Upper end of the speed-up's interval; null without one.",
     Better::higher, NumberStyle::factor},
    {"interval", "interval", "Both ends of an interval."},
    {"judgement", "verdict", "What follows from a comparison or a trial, in words."},
    {"p_value", "p", "Two-sided Mann-Whitney test of the steps.", Better::neither,
     NumberStyle::plain},
    {"difference", "difference",
     "`faster`, `slower`, `no significant difference`, `too few steps`; measured against"
     " calibrated: `as predicted`, `faster than predicted`, `slower than predicted`;"
     " `without spread`, `no time`."},
    {"differences", "differences", "What else differs."},

    // What fits
    {"memory_limited", "limited", "The user gave the limit of the memory."},
    {"count_names", "counts", "Names of the counts, in the order of each list of counts."},
    {"points", "points", "Points of the boundary between what fits and what does not."},
    {"varied", "varied",
     "What grows up to the boundary: `batch`, `together`, `conv further`, `conv alone`."},
    answer({"fits", "fits",
            "Largest counts with the verdict `fits`; empty: none, or nothing bounds the memory."}),
    answer(
        {"likely", "likely", "Largest counts with the verdict `likely` or `fits`; empty: none."}),
    {"fits_further", "fits again",
     "Larger counts that have the verdict of `fits`, too, though some between them do not; empty: "
     "none were found."},
    {"likely_further", "likely again", "The same of `likely`."},
    {"expected_further", "expected again", "The same of `expected`."},
    {"expected", "expected",
     "Largest counts that are expected to end, with slower algorithms where workspaces find no "
     "room; empty: none."},
    answer({"largest", "largest",
            "Largest counts that may run: the next ones have the verdict `oom`; empty: none."}),
    {"end_of_range", "end of range", "The range asked for ends there: more would fit."},
    {"searched", "searched", "The boundary was looked for on the device too."},
    {"found", "found", "Largest counts that ran on the device; empty: none."},
    {"found_end_of_range", "end of range", "The range asked for ends there, on the device."},
    {"count_ratio", "ratio", "Sum of the counts in `expected` over that in `found`."},
    {"tries", "tries", "Cases that were run to see whether they fit, in their order."},
    {"counts", "counts", "Counts, in the order of `count_names`."},
});

}  // namespace rooflab
