#include "properties/generators/search.hpp"

#include <rapidcheck.h>

#include <chrono>
#include <stdexcept>

#include "properties/generators/cases.hpp"

namespace assay::properties {
namespace {

using Clock = std::chrono::steady_clock;

rc::Shrinkable<Case> shrinking(const Case& c) {
  return rc::shrinkable::shrinkRecur(c, [](const Case& x) { return rc::seq::fromContainer(simpler(x)); });
}

rc::Gen<Case> drawn(const Contract& contract, const Search& search) {
  return rc::Gen<Case>([&contract, search](const rc::Random& random, int size) {
    rc::Random source = random;
    const Below below = [&source](uint64_t n) { return source.split().next() % n; };
    return shrinking(draw_case(contract, size, search.multiply_adds, below, search.wanted));
  });
}

struct CountShrinks : rc::detail::TestListener {
  int tried = 0;
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override { tried++; }
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

/// Runs a property over `cases`. RapidCheck's public rc::check draws a random seed and prints to stderr; checkTestable with an explicit
/// (empty) reproduction map does neither, and does not read RC_PARAMS.
std::optional<Found> run(const rc::Gen<Case>& cases, uint64_t seed, int count, double seconds_to_shrink, const Failure& fails) {
  std::optional<Found> found;
  std::optional<Clock::time_point> deadline;
  auto property = [&] {
    const Case c = *cases;
    if (deadline && Clock::now() > *deadline) return;   // shrinking out of time: accept nothing more
    if (auto why = fails(c)) {
      if (!found) {
        found = Found{.first = c};
        deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_to_shrink));
      }
      found->smallest = c, found->why = *why;   // every accepted shrink fails again: the last failure seen is the smallest
      RC_FAIL(*why);
    }
  };
  rc::detail::TestParams parameters;
  parameters.seed = seed, parameters.maxSuccess = count;
  CountShrinks listener;
  const std::unordered_map<std::string, rc::detail::Reproduce> no_replay;
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata{"case", "case"}, parameters, listener, no_replay);
  if (result.is<rc::detail::Error>()) throw std::runtime_error(result.get<rc::detail::Error>().description);
  if (result.is<rc::detail::GaveUpResult>()) throw std::runtime_error(result.get<rc::detail::GaveUpResult>().description);
  if (found) found->shrinks_tried = listener.tried;
  return found;
}

}  // namespace

std::optional<Found> find_failure(const Contract& contract, const Search& search, const Failure& fails) {
  return run(drawn(contract, search), search.seed, search.cases, search.seconds_to_shrink, fails);
}

Found shrink(const Case& c, double seconds, const Failure& fails) {
  const rc::Gen<Case> only([&c](const rc::Random&, int) { return shrinking(c); });
  if (auto found = run(only, 1, 1, seconds, fails)) return *found;
  return {.first = c, .smallest = c, .why = "did not fail again"};
}

}  // namespace assay::properties
