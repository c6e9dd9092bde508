"""A pytest fixture `rooflab`: counts, predictions and a baseline in tests.

    def test_cost(rooflab):
        result = rooflab.summary(model, (1, 3, 224, 224))
        assert result.flops == 3_628_146_688
        assert result.peak_memory_bytes < 2**30
        rooflab.check_baseline(result, "my model")

`pytest --rooflab-update` writes the baseline: `rooflab_baseline.json` in the folder of the test.
"""
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rooflab._result import Result
from rooflab.baseline import DEFAULT_NAME, BaselineFile, differences
from rooflab.predictions import predict
from rooflab.summaries import Summary, summary


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("rooflab")
    group.addoption("--rooflab-update", action="store_true",
                    help="write the figures of check_baseline() in place of comparing them")
    group.addoption("--rooflab-baseline", metavar="FILE",
                    help=f"baseline of all tests (default: {DEFAULT_NAME} in the test's folder)")


class Fixture:
    """What a test gets as `rooflab`."""

    def __init__(self, file: BaselineFile, update: bool):
        self._file = file
        self._update = update
        self.summary = summary
        self.predict = predict

    def record(self, step: Callable[[], Any], **settings: Any) -> Summary:
        """Counts a step of your own, a function without arguments; see `.recording`, too."""
        return summary(step, **settings)

    def check_baseline(self, result: Result, name: str, tolerance: float = 0.0) -> None:
        """Fails where a figure of the result differs from the baseline by more than `tolerance`, a
        share of it. With --rooflab-update the baseline takes the figures."""
        figures = result.figures()
        if self._update:
            self._file.update(name, figures)
            return
        before = self._file.read().get(name)
        if before is None:
            pytest.fail(f"{self._file.path} has no '{name}': pytest --rooflab-update writes it",
                        pytrace=False)
        changed = differences(before, figures, tolerance)
        if changed:
            pytest.fail("\n".join([f"'{name}' differs from {self._file.path}:",
                                   *(f"  {line}" for line in changed),
                                   "if this is meant: pytest --rooflab-update"]), pytrace=False)


@pytest.fixture(name="rooflab")
def rooflab_fixture(request: Any) -> Fixture:
    """Counts, predictions and a baseline (rooflab.pytest_plugin)."""
    named = request.config.getoption("--rooflab-baseline")
    path = Path(named) if named else Path(str(request.fspath)).parent / DEFAULT_NAME
    return Fixture(BaselineFile(path), request.config.getoption("--rooflab-update"))
