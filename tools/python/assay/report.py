"""What Assay found, as Python objects."""

from dataclasses import dataclass, field

VERDICTS = {0: "passed", 1: "failed", 3: "unchecked"}


@dataclass
class Failure:
    law: str
    reason: str
    line: str  # of the smallest failing case: assay.repro(line, kernel)


@dataclass
class Cell:
    """One law: `outcome` is pass, FAIL, skip, untrusted or known; `data` the cell of the JSON report (tools/README.md)."""
    law: str
    outcome: str
    cases: int
    worst_share: float
    worst_term: str
    data: dict = field(repr=False)


class Report:
    """`verdict`: 'passed', 'failed', or 'unchecked' where nothing was checked or part of it proves too little."""

    def __init__(self, code, text, data):
        self.code, self.text, self.data = code, text, data
        self.verdict = VERDICTS[code]
        self.passed = code == 0
        self.cells = {c["law"]: Cell(c["law"], c["outcome"], c["cases"], c.get("worst_share", 0.0), c.get("worst_term", ""), c)
                      for c in data["cells"]}
        if "findings" in data:
            accusations = [a for finding in data["findings"] for a in finding["laws"]]
        else:
            accusations = [c for c in data["cells"] if c["outcome"] == "FAIL"]
        self.failures = [Failure(a["law"], a["reason"], a["reproducer"]) for a in accusations]

    def __bool__(self):
        return self.passed

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<assay report: {self.verdict}; {len(self.failures)} laws fail>"

    def raise_on_failure(self, allow_unchecked=False):
        """AssertionError with the report unless it passed; `allow_unchecked`: unless it failed, or no law passed."""
        some = any(c.outcome == "pass" for c in self.cells.values())
        if not (self.passed or (allow_unchecked and self.verdict == "unchecked" and some)):
            raise AssertionError(f"{self.verdict}\n{self.text}")
        return self
