#pragma once

/// Version of these headers.
#define ROOFLAB_VERSION_MAJOR 0
#define ROOFLAB_VERSION_MINOR 2
#define ROOFLAB_VERSION_PATCH 0
#define ROOFLAB_VERSION_STRING "0.2.0"

namespace rooflab {

/// Version of the library that is linked: `0.2.0`.
[[nodiscard]] const char* library_version() noexcept;

/// A library of another minor version than the headers lacks this name, so that linking fails.
namespace headers_and_library_differ_in_version {
extern const int headers_are_0_2;
}
namespace {
[[gnu::used]] const int* const same_version =
    &headers_and_library_differ_in_version::headers_are_0_2;
}

}  // namespace rooflab
