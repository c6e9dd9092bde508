#pragma once

#include <torch/version.h>

/// Whether libtorch has at least this version, for #if.
#define ROOFLAB_TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) ||          \
   (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))
