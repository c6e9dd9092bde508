#pragma once

// A CUDA driver and a CUPTI without a GPU: what the tests of `rooflab profile` run against. The
// program asks the fake driver to launch kernels; the fake driver tells the fake CUPTI, which tells
// its subscriber, writes activity records and counts. Figures follow from the launch alone:
//
//   a kernel lasts 1000 ns for each block of its grid
//   it reads 100 bytes of DRAM and writes 50 for each block
//   a kernel whose name holds `gemm` does 4096 tf32 tensor operations for each block, no others
//   every other does 7 ffma and 3 fadd for each thread

#include <cstdint>

extern "C" {

/// Loads what $CUDA_INJECTION64_PATH names, as the driver does.
void fake_cuda_init();
/// Launches through cuLaunchKernel, or with `extended` through cuLaunchKernelEx.
void fake_launch(const char* symbol, unsigned grid, unsigned block, int extended);
/// Launches through cuGraphLaunch the graph that was captured, or else one of a conv_gemm of 10
/// blocks and a relu of 20, whose nodes have no number.
void fake_graph_launch();
/// Launches between the two become nodes of a graph and do not run; at the end it is instantiated.
void fake_capture(int begins);
void fake_profiler_start();
void fake_profiler_stop();

// How the driver tells CUPTI.
void fake_cupti_call(bool enters, unsigned cbid, const char* symbol, const void* parameters,
                     unsigned correlation);
/// A context was made.
void fake_cupti_context();
/// A node of a graph was made, `original` is 0, or is a copy.
void fake_cupti_node(std::uint64_t node, std::uint64_t original);
/// `node`: of the graph that launched it; 0: none.
void fake_cupti_kernel(const char* symbol, unsigned grid, unsigned block, unsigned correlation,
                       std::uint64_t node);
}
