#pragma once

/// ONNX files as networks.

#include "rooflab/onnx/onnx_reader.hpp"
