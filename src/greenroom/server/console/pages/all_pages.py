"""Every page: importing this module registers them."""

from __future__ import annotations

from types import ModuleType

from greenroom.server.console.pages import agents, entrance, run, runs

PAGES: tuple[ModuleType, ...] = (agents, entrance, run, runs)
