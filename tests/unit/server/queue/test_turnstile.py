"""Tasks that get their answers at once go on a few at a time."""

from __future__ import annotations

import asyncio

from greenroom.server.queue.turnstile import Turnstile


async def test_no_turn_of_the_loop_lets_more_through_than_it_may() -> None:
    turnstile, turn, through = Turnstile(at_once=3), [0], list[int]()

    async def count_turns() -> None:
        while len(through) < 10:
            await asyncio.sleep(0)
            turn[0] += 1

    async def pass_through() -> None:
        await turnstile.wait()
        through.append(turn[0])

    await asyncio.gather(count_turns(), *(pass_through() for _ in range(10)))
    assert len(through) == 10
    assert max(through.count(each) for each in through) <= 3


async def test_they_go_in_the_order_in_which_they_came() -> None:
    turnstile, through = Turnstile(at_once=2), list[int]()

    async def pass_through(number: int) -> None:
        await turnstile.wait()
        through.append(number)

    await asyncio.gather(*(pass_through(number) for number in range(7)))
    assert through == list(range(7))


async def test_a_task_that_was_cancelled_holds_nobody_up() -> None:
    turnstile = Turnstile(at_once=1)
    waiting = [asyncio.create_task(turnstile.wait()) for _ in range(4)]
    await asyncio.sleep(0)
    waiting[1].cancel()
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in ended] == [type(None), asyncio.CancelledError, type(None), type(None)]
