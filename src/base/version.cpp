#include "rooflab/base/version.hpp"

namespace rooflab {
namespace headers_and_library_differ_in_version {
const int headers_are_0_2 = 0;
}

const char* library_version() noexcept { return ROOFLAB_VERSION_STRING; }

}  // namespace rooflab
