"""What a session has spent, and what it may still spend."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from greenroom.model.errors import GreenroomError

if TYPE_CHECKING:
    from greenroom.testing.played import Played


class OverBudget(GreenroomError):
    """The session's budget is spent; nothing more is asked of any model. `played` is what was played until then."""

    def __init__(self, message: str, played: Played | None = None) -> None:
        super().__init__(message)
        self.played = played


class Budget:
    """Adds up the known costs of a session, in US dollars, against its `limit` (none: it has no end).

    Several processes share one budget by a `ledger`: a file to which each appends what it spends.
    """

    def __init__(self, limit: Decimal | None = None, ledger: Path | None = None) -> None:
        self.limit = limit
        self._ledger = ledger
        self._spent = Decimal(0)

    def spend(self, amount: Decimal) -> None:
        """Note a cost."""
        if self._ledger is None:
            self._spent += amount
        elif amount:
            # One short write at the end of a file is whole, whoever else writes there.
            handle = os.open(self._ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(handle, f"{amount}\n".encode())
            finally:
                os.close(handle)

    @property
    def spent(self) -> Decimal:
        """What all processes have spent so far."""
        if self._ledger is None or not self._ledger.exists():
            return self._spent
        return sum((Decimal(line) for line in self._ledger.read_text(encoding="ascii").split()), Decimal(0))

    def left(self) -> Decimal | None:
        """What may still be spent; `None` without a limit.

        Raises:
            OverBudget: nothing.
        """
        if self.limit is None:
            return None
        left = self.limit - self.spent
        if left <= 0:
            raise OverBudget(self.sentence)
        return left

    @property
    def sentence(self) -> str:
        """Why something was not played, or not to its end."""
        return f"The budget of --greenroom-max-cost ({self.limit} US dollars) is used up."
