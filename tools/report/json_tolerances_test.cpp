// The committed table is what the program makes: its bounds anew from the declared arithmetic, what kernels used of them on the emulator.
#include "tools/report/tolerances.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace assay::report {
namespace {

using properties::Allowance, properties::Tolerance;

std::string contents(const char* name) {
  std::ifstream file(std::string(ASSAY_ORACLES) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<const Subject*> all_subjects() {
  std::vector<const Subject*> all;
  for (const Subject& s : registry<Subject>()) all.push_back(&s);
  return all;
}

properties::TolerancePlan plan() { return {.suite = load_suite("tolerances"), .subjects = all_subjects()}; }

const nlohmann::json& committed() {
  static const nlohmann::json j = nlohmann::json::parse(contents("tolerances.json"));
  return j;
}

TEST(ToleranceTable, IsWhatTheDeclaredArithmeticGives) {
  ToleranceReport report{.suite = "tolerances", .measured_on = committed()["measured_on"], .rows = properties::tolerances(plan(), {})};
  ASSERT_EQ(report.rows.size(), committed()["rows"].size());
  for (size_t i = 0; i < report.rows.size(); i++) {
    auto measured = [&](const char* data, Allowance& a) {
      a.used = committed()["rows"][i][data].value("used", -1.0), a.error = committed()["rows"][i][data].value("error", -1.0);
    };
    measured("normal", report.rows[i].normal), measured("sqrt_k", report.rows[i].sqrt_k);
  }
  constexpr char kAgain[] = ": make it again, on a GPU: assay tolerances --backend cuda --markdown oracles/TOLERANCES.md --json oracles/tolerances.json";
  EXPECT_TRUE(to_json(report) == contents("tolerances.json")) << "oracles/tolerances.json" << kAgain;
  EXPECT_TRUE(to_markdown(report) == contents("TOLERANCES.md")) << "oracles/TOLERANCES.md" << kAgain;
}

/// The emulator has the GPU's bits, so its kernels use the same share.
TEST(ToleranceTable, EmulatedKernelsUseTheSharesThatTheGpuMeasured) {
  properties::TolerancePlan small = plan();
  small.measure = true, small.multiply_adds = 3e5;
  std::erase_if(small.suite.cases, [&](const Case& c) { return c.definition().work(c.parameters).multiply_adds > small.multiply_adds; });
  int compared = 0;
  for (const Tolerance& t : properties::tolerances(small, {}))
    for (const auto& row : committed()["rows"])
      if (row["subjects"] == t.subjects && row["step"] == t.step && row["settings"] == t.settings && row["k"] == t.k && t.normal.largest > 0 &&
          t.subjects.find("atomic") == std::string::npos) {   // whose bits change from run to run
        EXPECT_EQ(row["normal"]["used"], t.normal.used) << t.subjects << ' ' << t.settings << ' ' << t.k;
        EXPECT_EQ(row["sqrt_k"]["used"], t.sqrt_k.used) << t.subjects << ' ' << t.settings << ' ' << t.k;
        compared++;
      }
  EXPECT_GT(compared, 20);
}

TEST(ToleranceTable, EveryContractStandsInIt) {
  std::set<std::string> listed;
  for (const auto& row : committed()["rows"]) listed.insert(row["contract"]);
  for (const Contract& c : registry<Contract>())
    EXPECT_TRUE(listed.contains(c.name) || std::ranges::all_of(c.steps, [](const Step& s) { return s.compare == Compare::bits; })) << c.name;
}

}  // namespace
}  // namespace assay::report
