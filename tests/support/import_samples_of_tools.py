"""Files in the published formats of other tools. All are written for these tests; each names what its shape follows."""

from __future__ import annotations

import json

PROMPTFOO_USERS = """\
description: Callers of a bike shop
prompts:
  - |
    You answer for {{shop}}. Read prices from the list alone.
providers:
  - id: openai:chat:gpt-4.1-mini
    config:
      temperature: 0.2
      max_tokens: 400
      tools:
        - type: function
          function:
            name: get_price
            description: The price of a bike
            parameters: {type: object, properties: {bike: {type: string}}, required: [bike]}
        - file://tools/order.json
      functionToolCallbacks:
        get_price: file://callbacks.js:getPrice
defaultTest:
  provider:
    id: promptfoo:simulated-user
    config:
      maxTurns: 6
  vars:
    shop: Velo Sund
  assert:
    - type: not-contains
      value: guarantee
tests:
  - description: Asks for a price
    vars:
      instructions: You are Mika. Ask what the {{bike}} costs at {{shop}}.
      bike: [Fjord, Skagen]
    assert:
      - type: llm-rubric
        value: The agent names the price of the {{bike}}.
        provider: openai:gpt-4.1
        threshold: 0.8
      - type: trajectory:tool-used
        value: get_price
      - type: trajectory:tool-args-match
        value: {name: get_price, args: {bike: '{{bike}}'}, mode: partial}
      - type: contains-any
        value: [kroner, NOK]
      - type: javascript
        value: output.length < 2000
    metadata: {feature: prices}
    threshold: 0.5
  - provider:
      id: promptfoo:simulated-user
      config:
        instructions: You are Siv and angry about a flat tyre.
        initialMessages:
          - {role: user, content: My tyre is flat again!}
        stateful: true
    assert:
      - type: assert-set
        assert:
          - {type: icontains, value: sorry}
          - {type: latency, threshold: 4000, weight: 0}
evaluateOptions: {repeat: 2, maxConcurrency: 4}
outputPath: results.json
"""
"""After promptfoo/promptfoo, `site/docs/providers/simulated-user.md` and
`examples/tau-simulated-user/promptfooconfig.yaml`."""

PROMPTFOO_PROMPTS = """\
prompts:
  - label: chat
    raw: |
      [{"role": "system", "content": "You translate to {{language}}."}, {"role": "user", "content": "{{text}}"}]
  - 'Translate to {{language}}: {{text}}'
providers: [openai:gpt-4.1-mini, anthropic:messages:claude-sonnet-4]
tests:
  - description: Says good day
    vars: {language: French, text: Good day}
    assert:
      - {type: equals, value: Bonjour}
      - {type: contains, value: Bonjour}
      - {type: icontains, value: bonjour}
      - {type: not-contains, value: Good day}
      - {type: contains-all, value: [Bon, jour]}
      - {type: regex, value: '^Bon\\s?jour'}
      - {type: not-regex, value: 'hallo|hello'}
      - {type: starts-with, value: Bon}
      - {type: regex, value: '(?=Bon)B'}
      - {type: word-count, value: {min: 1, max: 3}}
      - {type: llm-rubric, value: Is polite}
      - {type: is-json}
      - {type: similar, value: Bonjour, threshold: 0.8}
  - file://more-tests.yaml
"""
"""After promptfoo/promptfoo, `site/docs/configuration/expected-outputs/deterministic.md` and
`site/docs/configuration/reference.md`."""

LIVEKIT = """\
id: SCNG_lib01
name: Library desk
scenarios:
  - id: SCN_01
    label: Renews a book
    instructions: |
      PERSONA: Ola, a student in a hurry.
      OPENING LINE: "I want to keep my book longer."
      FACTS:
      - the book is "Night Trains"
    agent_expectations: >
      Finds the loan, says the new date, and charges nothing.
    tags: {feature: renewal, difficulty: '1'}
    userdata:
      branch: Harbour
      expected_state:
        - UPDATE loans SET due = '2026-09-01' WHERE code = 'L-1'
  - label: Asks for a room
    instructions: You are Pim. You ask whether the reading room is free at noon.
    agent_expectations: Says that rooms are booked on the web page.
    metadata: {channel: phone}
"""
"""After livekit/agents, `examples/hotel_receptionist/scenarios.yaml`, livekit-examples/dial-in-dj, `scenarios.yaml`,
and livekit/protocol, `protobufs/livekit_agent_simulation.proto`."""

CHATS = "\n".join(
    json.dumps(chat)
    for chat in (
        {
            "messages": [
                {"role": "system", "content": "You are the desk of a ferry line."},
                {"role": "user", "content": "When does the ferry to Ven leave?"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "call_1",
                            "type": "function",
                            "function": {"name": "next_ferry", "arguments": '{"to": "Ven"}'},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "call_1", "content": '{"at": "14:20"}'},
                {"role": "assistant", "content": "The next one leaves at 14:20.", "weight": 1},
            ],
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": "next_ferry",
                        "description": "When the next ferry leaves",
                        "parameters": {
                            "type": "object",
                            "properties": {"to": {"type": "string"}},
                            "required": ["to"],
                        },
                        "strict": True,
                    },
                }
            ],
            "parallel_tool_calls": False,
        },
        {
            "messages": [
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "Hello! How can I help?"},
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "What does a bicycle cost?"},
                        {"type": "image_url", "image_url": {"url": "https://example.com/bike.png"}},
                    ],
                    "name": "eva",
                },
                {"role": "assistant", "function_call": {"name": "price_of", "arguments": '{"what": "bicycle"}'}},
                {"role": "function", "name": "price_of", "content": "4 euro"},
                {"role": "assistant", "content": "A bicycle costs four euro."},
            ],
            "metadata": {"source": "log"},
        },
    )
)
"""After the chat form of OpenAI's fine-tuning files, as learn.microsoft.com/azure/ai-services/openai/how-to/
fine-tuning-functions and the type `FineTuneChatRequestInput` of the OpenAI API describe it."""
