"""What tests of all kinds share: which of them this machine can run."""

from __future__ import annotations

import pytest
from tests.support.private_postgres import find_binaries, is_required


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "postgres" in getattr(item, "fixturenames", ()):
            item.add_marker("postgres")
    if is_required() or find_binaries():
        return
    left_out = [item for item in items if item.get_closest_marker("postgres")]
    if left_out:
        items[:] = [item for item in items if not item.get_closest_marker("postgres")]
        config.hook.pytest_deselected(items=left_out)
