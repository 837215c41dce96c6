// A launch gives the same bits whatever outputs, workspace, the surroundings of every tensor and on a GPU shared memory held before: 7F
// (3.4e38 in FP32 and BF16, NaN in FP16 and FP8), FF (NaN in all), and there what other kernels of the registry, and the same one on
// another shape, left. Fresh memory is often zero, and the poison of other laws is made of finite numbers in most formats: 0 times them is
// 0.
#include <filesystem>
#include <numeric>

#include "properties/laws/sequence.hpp"

namespace assay {
namespace {

using sequence::Call;

/// The calls before the one that the law is about, and the memory of all of them.
class Company {
 public:
  Company(Bench& mine, const Subject& s, const Case& problem)
      : bench(mine),
        others(with_own_images(mine)),
        subject(s),
        c(problem),
        random(problem.seed, "follows"),
        shape(sequence::other_shape(mine, random, s, problem)) {
    for (uint64_t i : {1, 2})
      if (auto call = sequence::drawn_call(others, random, i, company_of(s), [](const Case&) { return true; })) kernels.push_back(*call);
    std::vector<Call> all = kernels;
    all.push_back({&s, problem});
    if (shape) all.push_back(*shape);
    arena.emplace(sequence::arena_for(mine.device(), all, kLarge));
  }

  static constexpr uint8_t kLarge = 0x7F, kNan = 0xFF;

  void fill(uint8_t byte) {
    arena->fill(byte);
    Queue(bench.settings().backend).fill_shared(byte);
  }
  /// Another kernel, or the same one on another shape; what it did, or nothing where there is none.
  std::string run_other(size_t which) { return which < kernels.size() ? run(others, kernels[which]) : ""; }
  std::string run_other_shape() { return shape ? run(bench, *shape) : ""; }
  Run run_mine() { return bench.run_in(*arena, places(), subject, c, bench.operands(c)); }

 private:
  Bench &bench, others;
  const Subject& subject;
  const Case& c;
  const Stream random;
  uint64_t drawn = 16;  // smaller numbers draw the calls
  const std::optional<Call> shape;
  std::vector<Call> kernels;
  std::optional<Arena> arena;

  /// Kernels of the registry whose images are here: a library for other languages comes without them. None of plug-ins: whatever they do to the
  /// process would be laid at this one's door.
  std::vector<const Subject*> company_of(const Subject& s) const {
    std::vector<const Subject*> all;
    for (const Subject& other : registry<Subject>())
      if (other.name != s.name && other.plugin.empty() && std::filesystem::exists(Image::path_of(other.image, bench.settings().backend))) all.push_back(&other);
    return all;
  }

  /// An image that stands in for the subject's is none of theirs.
  static BenchSettings with_own_images(const Bench& bench) {
    BenchSettings settings = bench.settings();
    settings.image.clear();
    return settings;
  }

  /// Some order of the blocks, so that every tensor meets what others left.
  std::vector<size_t> places() {
    std::vector<size_t> order(arena->blocks());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = order.size(); i > 1; i--) std::swap(order[i - 1], order[random.below(i, drawn++)]);
    return order;
  }

  std::string run(Bench& by, const Call& call) {
    by.run_in(*arena, places(), *call.subject, call.problem, make_tensors(call.problem));
    return ", after " + call.text();
  }
};

Verdict check(Bench& bench, const Subject& subject, const Case& c) {
  const Run& alone = bench.run(subject, c);
  Company company(bench, subject, c);
  Verdict all;
  const auto passes = [&](const std::string& where) {
    const Verdict verdict = sequence::compared(bench, subject, c, bench.operands(c), alone, company.run_mine(), "alone", where);
    if (verdict.outcome == Outcome::pass) return all += verdict, true;
    return all = verdict, false;
  };
  company.fill(Company::kLarge);
  if (!passes("on memory full of 7f" + company.run_other(0))) return all;
  company.fill(Company::kNan);
  const std::string before = company.run_other_shape() + company.run_other(1);
  passes("on memory full of ff" + before);
  return all;
}

const Registered<Law> registered{{
    .name = "follows",
    .claim = "after other kernels, on memory that held 7F, FF or what they left, the same bits as alone",
    .applies = [](const Subject&, const Case& c) { return sequence::applies(c); },
    .check = check,
    .any_contents = true,
    .runs_others = true,
}};

}  // namespace
}  // namespace assay
