#pragma once

#include "finding_list.hpp"
#include "result_facts.hpp"

/// The rules, a file for each kind of finding, which says at its head how it is found and what it is
/// worth. Each adds its finding where it holds.
namespace rooflab::findings {

void add_host_wait(const TraceFacts& trace, FindingList& found);
void add_small_batch(const TraceFacts& trace, FindingList& found);
void add_data_loading(const TraceFacts& trace, FindingList& found);
void add_blocking_copies(const TraceFacts& trace, FindingList& found);
void add_layout_conversion(const TraceFacts& trace, FindingList& found);
void add_cuda_core_products(const TraceFacts& trace, FindingList& found);
void add_recomputation(const TraceFacts& trace, FindingList& found);
void add_short_kernels(const TraceFacts& trace, FindingList& found);
void add_optimizer(const TraceFacts& trace, FindingList& found);
void add_exposed_communication(const TraceFacts& trace, FindingList& found);
void add_long_kernel(const TraceFacts& trace, FindingList& found);
void add_tensor_cores_used(const TraceFacts& trace, FindingList& found);

}  // namespace rooflab::findings
