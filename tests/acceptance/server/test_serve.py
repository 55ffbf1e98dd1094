"""The service as a person starts it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.support import warm


def greenroom(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return warm.run([sys.executable, "-m", "greenroom", *words], cwd=folder, env=_environment(folder, variables))


def _environment(folder: Path, variables: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GREENROOM_")}
    return {**kept, "XDG_STATE_HOME": str(folder), **variables}


@contextmanager
def served(folder: Path, *words: str) -> Generator[tuple[subprocess.Popen[str], str, str]]:
    """Start the service; gives the process, its address and the next line that it tells."""
    with (folder / "log").open("w") as log:
        process = warm.start(
            [sys.executable, "-m", "greenroom", "serve", "--port", "0", "--data", "data", *words],
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=folder,
            env=_environment(folder, {}),
        )
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
        assert "listens on " in first, (folder / "log").read_text()
        yield process, first.split("listens on ")[1].strip(), process.stdout.readline()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_key_made_on_the_command_line_opens_the_service(tmp_path: Path) -> None:
    words = ("--data", "data", "--project", "default", "--name", "ci", "--scopes", "all", "--json")
    made = json.loads(greenroom(tmp_path, "keys", "create", *words).stdout)
    assert set(made) == {"id", "key", "name", "scopes"}
    with served(tmp_path) as (process, address, link):
        headers = {"Authorization": f"Bearer {made['key']}"}
        assert httpx.get(f"{address}/v1/me", headers=headers).json()["id"] == made["id"]
        token = link.strip().rpartition("#")[2]
        wanted = {"token": token, "password": "four plain words", "email": "maya@example.com"}
        assert httpx.post(f"{address}/v1/password", json=wanted).status_code == 201
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    assert made["key"] not in (tmp_path / "log").read_text()
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_people_and_keys_are_looked_after_on_the_command_line(tmp_path: Path) -> None:
    added = greenroom(tmp_path, "users", "add", "maya@example.com", "--role", "admin", "--data", "data")
    assert "/welcome#grl_" in added.stdout
    assert "no password yet" in greenroom(tmp_path, "users", "list", "--data", "data").stdout
    assert greenroom(tmp_path, "users", "suspend", "maya@example.com", "--data", "data").returncode == 0
    assert "suspended" in greenroom(tmp_path, "users", "list", "--data", "data").stdout
    made = json.loads(greenroom(tmp_path, "keys", "create", "--name", "x", "--data", "data", "--json").stdout)
    assert greenroom(tmp_path, "keys", "revoke", made["id"], "--data", "data").returncode == 0
    assert "revoked" in greenroom(tmp_path, "keys", "list", "--data", "data").stdout
    assert "already" in greenroom(tmp_path, "db", "upgrade", "--data", "data").stdout


@pytest.mark.parametrize(
    ("words", "variables", "told"),
    [
        (("keys", "create", "--name", "x", "--scopes", "test:run"), {}, "did you mean `tests:run`"),
        (("keys", "create", "--name", "x", "--project", "other"), {}, "there is no project `other`"),
        (("users", "add", "nobody"), {}, "no e-mail address"),
        (("users", "link", "a@b.c"), {}, "no developer"),
        (("serve",), {"GREENROOM_PORT": "x"}, "GREENROOM_PORT"),
        (("serve",), {"GREENROOM_DATABASE_URL": "mysql://h/d"}, "not in `mysql`"),
        (("serve",), {"GREENROOM_SECRET_KEYS": "s3cret"}, "no Fernet key"),
        (("serve",), {"GREENROOM_DATABASE_URL": "postgresql://u:s3cret@127.0.0.1:1/d"}, "GREENROOM_SECRET_KEYS"),
        (("serve", "--host", "203.0.113.1"), {}, "cannot be listened on"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(
    tmp_path: Path, words: tuple[str, ...], variables: dict[str, str], told: str
) -> None:
    ended = greenroom(tmp_path, *words, **variables)
    assert ended.returncode == 2, ended.stderr
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "s3cret" not in ended.stderr


def test_a_database_that_is_not_there_is_told_without_its_password(tmp_path: Path) -> None:
    secret = greenroom(tmp_path, "keys", "secret").stdout.strip()
    url = "postgresql://u:s3cret@127.0.0.1:1/d"
    ended = greenroom(tmp_path, "serve", "--port", "0", GREENROOM_DATABASE_URL=url, GREENROOM_SECRET_KEYS=secret)
    assert ended.returncode == 2, ended.stderr
    assert "the database at 127.0.0.1 cannot be used" in ended.stderr
    assert "s3cret" not in ended.stderr


def test_credits_are_added_taken_and_shown_with_their_ledger(tmp_path: Path) -> None:
    words = ("--data", "data", "--json")
    added = json.loads(greenroom(tmp_path, "credits", "add", "12.50", "--note", "First month", *words).stdout)
    assert (added["balance"], added["available"], added["currency"]) == (12.5, 12.5, "USD")
    assert json.loads(greenroom(tmp_path, "credits", "add", "-2", *words).stdout)["balance"] == 10.5
    shown = json.loads(greenroom(tmp_path, "credits", "show", *words).stdout)
    assert shown["is_balanced"] is True
    assert [(row["amount"], row["kind"], row["note"]) for row in shown["ledger"]] == [
        (-2.0, "corrected", ""),
        (12.5, "added", "First month"),
    ]
    told = greenroom(tmp_path, "credits", "show", "--data", "data").stdout
    assert "default has 10.50 USD." in told
    assert "The ledger sums to the balance." in told


def test_another_project_is_made_and_has_keys_and_credits_of_its_own(tmp_path: Path) -> None:
    made = json.loads(greenroom(tmp_path, "projects", "create", "Front desk", "--data", "data", "--json").stdout)
    listed = json.loads(greenroom(tmp_path, "projects", "list", "--data", "data", "--json").stdout)["items"]
    assert {row["name"] for row in listed} == {"default", "Front desk"}
    key = greenroom(tmp_path, "keys", "create", "--project", made["id"], "--name", "x", "--data", "data", "--json")
    assert json.loads(key.stdout)["name"] == "x"
    greenroom(tmp_path, "credits", "add", "3", "--project", "Front desk", "--data", "data")
    assert "default has 0.00 USD." in greenroom(tmp_path, "credits", "show", "--data", "data").stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("credits", "add", "much"), "`much` is no amount: write for example 25 or 0.50"),
        (("credits", "add", "0"), "`0` is no amount"),
        (("credits", "add", "0.0000001"), "at most six decimals"),
        (("credits", "add", "-5"), "fewer credits than that"),
        (("credits", "show", "--project", "other"), "there is no project `other`"),
        (("projects", "create", "default"), "There is a project named `default` already"),
        (("projects", "create", " "), "1 to 200 characters"),
        (("projects", "create", "New", "--owner", "a@b.c"), "there is no developer `a@b.c`"),
    ],
)
def test_a_mistake_about_projects_and_credits_is_told_in_a_sentence(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    ended = greenroom(tmp_path, *words, "--data", "data")
    assert ended.returncode == 2, ended.stdout
    assert told in ended.stderr
