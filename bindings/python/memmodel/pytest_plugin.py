"""A test's memory is within a budget: `@pytest.mark.memory_budget("16GiB")`, also with gpu="h100".

What the test builds and runs in PyTorch is recorded on tensors without memory, and the test fails if that takes more.
It should assert shapes, not numbers: nothing is computed but what is small and known.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

MARK = "memory_budget"


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", f'{MARK}(budget, gpu=None): fail if the test takes more memory, such as "16GiB"')


@pytest.hookimpl(wrapper=True)  # type: ignore[untyped-decorator, unused-ignore]
def pytest_pyfunc_call(pyfuncitem: Any) -> Generator[None, Any, Any]:
    mark = pyfuncitem.get_closest_marker(MARK)
    if mark is None:
        return (yield)
    torch = pytest.importorskip("memmodel.torch", reason=f"{MARK} needs PyTorch")
    budget, options = (mark.args or (None,))[0], dict(mark.kwargs)
    with torch.record(steps=0, budget=options.pop("budget", budget), **options) as recording:
        result = yield
    report = recording.report()
    pyfuncitem.user_properties += [("memory", report.summary), ("memory_verdict", report.verdict)]
    if report.verdict == "exceeds":
        pytest.fail(f"{pyfuncitem.name}: {report.summary}; at {report.peak_location}", pytrace=False)
    return result
