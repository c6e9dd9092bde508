#pragma once

#include <span>
#include <string>
#include <vector>

#include "chart/name_list.hpp"
#include "page_head.hpp"

namespace rooflab::report {

/// How fast the devices are in the work that all of them have a time of, in sentences.
[[nodiscard]] std::vector<std::string> device_sentences(std::span<const HeadCase> cases,
                                                        const chart::Names& devices);

}  // namespace rooflab::report
