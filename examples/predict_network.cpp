// Counts a network and predicts its training step on a device that need not be here: what
// `rooflab predict resnet50 --device h200 --batch 64 --phase training` prints, below the counts.

#include <iostream>

#include "rooflab/findings.hpp"
#include "rooflab/networks.hpp"
#include "rooflab/pages.hpp"
#include "rooflab/predict.hpp"

int main() {
  const auto step = rooflab::analyze::predict_case(rooflab::zoo::build("resnet50", {.batch = 64}),
                                                   "h200", {.phase = rooflab::Phase::training});
  const auto found = rooflab::findings::findings_of(step);
  std::cout << step.count.parameters << " parameters, " << step.limit.macs.value() << " MACs\n"
            << render(rooflab::report::predict_view({&step, 1}, {.findings = found}),
                      rooflab::page::Format::table);
}
