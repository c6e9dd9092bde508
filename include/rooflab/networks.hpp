#pragma once

/// Networks: the built-in ones, and a builder for others.

#include "rooflab/graph/function_facts.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/graph/grouped_product.hpp"
#include "rooflab/graph/op.hpp"
#include "rooflab/graph/op_facts.hpp"
#include "rooflab/zoo/zoo.hpp"
