#include "tools/damage/test_damage.hpp"

namespace assay::tools {
namespace {

TEST(DamageSlow, AHundredThousandOfAKindAreEndured) { expect_all_endure(1000000, 100000); }

}  // namespace
}  // namespace assay::tools
