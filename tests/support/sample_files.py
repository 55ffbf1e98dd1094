"""Test files for the program to play."""

from __future__ import annotations

PASSES = """
  - name: Is told the hours
    tags: [hours, quick]
    caller: {messages: [When do you open?]}
    checks:
      - {type: says, text: from nine}
"""
FAILS = """
  - name: Makes no promise
    tags: [safety]
    caller: {messages: [Does it hurt?]}
    checks:
      - {type: says, text: hurt}
      - {type: never_says, text: guarantee}
"""
CANNOT_FINISH = """
  - name: Says what no rule knows
    tags: [broken]
    caller: {messages: [Qwertyuiop]}
"""


def a_file(*tests: str, agent: str = "") -> str:
    """A test file with a scripted front desk."""
    return f"""
agent:
  name: Front desk
  prompt: You answer the telephone of a dentist.
  greeting: Front desk, hello.
{agent}
  llm:
    model: scripted:front-desk
    script:
      - {{when: open, say: We are open from nine to six.}}
      - {{when: hurt, say: I guarantee that it will not hurt.}}
tests:
{"".join(tests) or PASSES}
"""


def a_file_for(url: str, *, tests: int = 2, first: int = 1) -> str:
    """A test file whose agent is asked over HTTP, at an OpenAI-compatible server."""
    listed = "".join(
        f"  - {{name: Talk {number}, caller: {{messages: [Hello, And then?]}}, "
        f"checks: [{{type: says, text: hello}}]}}\n"
        for number in range(first, first + tests)
    )
    return f"""
agent:
  name: Far away
  prompt: You answer.
  greeting: Hello there.
  llm: {{model: "openai-compatible:test-model", base_url: "{url}"}}
tests:
{listed}"""
