"""The agents of some tests as the options of a session make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenroom.model.errors import UserMistake
from greenroom.testing.settings import Settings

if TYPE_CHECKING:
    from greenroom.files.suite import Suite


def change(suite: Suite, settings: Settings, variant: str | None = None) -> Suite:
    """The tests with their agents in the session's variant (else in `variant`), on its model and with its changes.

    A file that lacks the session's variant keeps its agents, since others may have it.

    Raises:
        UserMistake: there is no `variant`, or a change does not fit.
    """
    try:
        if settings.variant is not None and settings.variant in suite.variants:
            suite = suite.with_variant(settings.variant)
        elif settings.variant is None and variant is not None:
            suite = suite.with_variant(variant)
        if settings.model is not None:
            suite = suite.with_model(settings.model)
        return suite.override(settings.changes) if settings.changes else suite
    except UserMistake as mistake:
        # The sentences speak of the options of `greenroom run`, which pytest knows under longer names.
        words = str(mistake).replace("--model:", "--greenroom-model:").replace("--set ", "--greenroom-set ")
        raise UserMistake(words.replace("--set:", "--greenroom-set:")) from None
