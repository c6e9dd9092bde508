#pragma once

#include <string>

#include "rooflab/base/json.hpp"
#include "rooflab/study/study.hpp"

namespace rooflab::study {

/// Why a command that wrote a result has none to show: `oom: out of memory: 300 MB held`. Empty:
/// its case ended well.
[[nodiscard]] std::string failure_of(Mode mode, const Json& result);

/// What a reader of its figures must know: what they leave out, what makes them suspect. Sentences
/// with `; ` between them; may be empty.
[[nodiscard]] std::string remark_of(Mode mode, const Json& result);

}  // namespace rooflab::study
