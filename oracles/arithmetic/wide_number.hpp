// What lies in a Wide. Only for what makes one of something other than a double or a whole number.
#pragma once
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <new>
#include <type_traits>

#include "oracles/arithmetic/wide.hpp"

namespace assay {

struct WideNumber {
  using Type = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>, boost::multiprecision::et_off>;
  static_assert(sizeof(Type) <= sizeof(Wide) && alignof(Type) <= alignof(Wide));
  static_assert(std::is_trivially_destructible_v<Type>, "a Wide has no destructor");

  static Type& of(Wide& x) { return *std::launder(reinterpret_cast<Type*>(x.storage)); }
  static const Type& of(const Wide& x) { return *std::launder(reinterpret_cast<const Type*>(x.storage)); }
  template <class... From>
  static void make(Wide& x, const From&... from) {
    new (x.storage) Type(from...);
  }
  static Wide wide(const Type& number) {
    Wide x;
    of(x) = number;
    return x;
  }
};

}  // namespace assay
