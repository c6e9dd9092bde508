#pragma once

#include <span>
#include <type_traits>

/// What the header of a described type needs (fields.hpp).
namespace rooflab {

class Field;
struct FileKind;

/// A type as an argument: it selects an overload.
template <class T>
using For = std::type_identity<T>;

}  // namespace rooflab
