"""The page where a one-time link leads: it sets a password. The link's token never reaches a log, since it stands
behind `#`."""

from __future__ import annotations

import base64
import hashlib

from fastapi import APIRouter, Response

router = APIRouter(tags=["accounts"])

_STYLE = """
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif }
body { max-width: 26rem; margin: 4rem auto; padding: 0 1rem }
label { display: block; margin: 1rem 0 .25rem }
input, button { font: inherit; padding: .5rem; width: 100%; box-sizing: border-box }
button { margin-top: 1.5rem }
"""
_SCRIPT = """
const form = document.querySelector("form"), told = document.querySelector("[role=status]");
form.addEventListener("submit", async event => {
  event.preventDefault();
  const wanted = {token: location.hash.slice(1), password: form.password.value};
  if (form.email.value) wanted.email = form.email.value;
  const answer = await fetch("v1/password", {
    method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(wanted)
  });
  const said = await answer.json();
  told.textContent = answer.ok ? `The password of ${said.developer.email} is set.` : said.detail;
  form.hidden = answer.ok;
});
"""
_PAGE = f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Welcome to Greenroom</title>
<style>{_STYLE}</style>
<h1>Welcome to Greenroom</h1>
<p>Choose a password. The link that brought you here works once.</p>
<form>
<label for="email">E-mail address (only for the first account)</label>
<input id="email" name="email" type="email" autocomplete="username">
<label for="password">Password, at least 10 characters</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="10" required>
<button>Set the password</button>
</form>
<p role="status"></p>
<script>{_SCRIPT}</script>
</html>
"""


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src {_source(_STYLE)}; script-src {_source(_SCRIPT)}; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@router.get("/welcome", include_in_schema=False)
async def show_welcome() -> Response:
    """Show the page that sets a password with a one-time link."""
    return Response(_PAGE, media_type="text/html; charset=utf-8", headers=_HEADERS)
