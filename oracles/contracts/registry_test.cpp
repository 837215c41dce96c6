#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "oracles/contract.hpp"

namespace assay {
namespace {

TEST(ContractRegistry, HoldsOneContractOfItsNameForEveryFile) {
  std::set<std::string> files, names;
  std::istringstream stems(ASSAY_FILES);
  for (std::string stem; stems >> stem;) files.insert(stem);
  for (const Contract& c : registry<Contract>()) names.insert(c.name);
  EXPECT_EQ(names, files);
  EXPECT_EQ(names.size(), registry<Contract>().size());
}

TEST(ContractRegistry, IsInTheOrderOfNames) {
  for (size_t i = 1; i < registry<Contract>().size(); i++) EXPECT_LT(registry<Contract>()[i - 1].name, registry<Contract>()[i].name);
}

TEST(ContractRegistry, FindsByNameOrSaysNothing) {
  for (const Contract& c : registry<Contract>()) EXPECT_EQ(find<Contract>(c.name), &c);
  EXPECT_EQ(find<Contract>("no such contract"), nullptr);
}

Parameters standard(const Contract& c) {
  std::vector<Setting> settings;
  for (const Parameter& p : c.parameters) settings.push_back({p.name, p.standard});
  return Parameters(std::move(settings));
}

TEST(ContractRegistry, EveryContractIsComplete) {
  for (const Contract& c : registry<Contract>()) {
    SCOPED_TRACE(c.name);
    const Parameters p = standard(c);
    EXPECT_FALSE(c.formula.empty());
    EXPECT_FALSE(c.refuses && c.refuses(p));
    EXPECT_GT(c.work(p).multiply_adds, 0);
    EXPECT_GT(c.work(p).bytes, 0);
    std::set<std::string> judged, outputs;
    for (const Step& step : c.steps) {
      judged.insert(step.tensor);
      EXPECT_EQ(step.compare == Compare::value, step.prepare != nullptr) << step.name;
      EXPECT_EQ(step.compare == Compare::bits, step.expected_code != nullptr) << step.name;
    }
    for (const TensorSpec& t : c.tensors(p))
      if (t.role != Role::input) outputs.insert(t.name);
    EXPECT_EQ(judged, outputs);
  }
}

TEST(ContractRegistry, EveryParameterIsExplainedAndItsStandardIsLegal) {
  for (const Contract& c : registry<Contract>())
    for (const Parameter& p : c.parameters) {
      SCOPED_TRACE(c.name + " " + p.name);
      EXPECT_FALSE(p.meaning.empty());
      const auto* whole = std::get_if<int64_t>(&p.standard);
      const auto* real = std::get_if<double>(&p.standard);
      const auto* word = std::get_if<std::string>(&p.standard);
      EXPECT_TRUE(!whole || (p.low <= *whole && *whole <= p.high));
      EXPECT_TRUE(!real || (p.real_low <= *real && *real <= p.real_high));
      EXPECT_TRUE(!word || *word == p.words.front());
    }
}

}  // namespace
}  // namespace assay
