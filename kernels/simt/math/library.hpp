// For the session: see library_functions_called() in session.hpp.
#pragma once

namespace simt {

void forget_library_calls();

}  // namespace simt
