"""Files in the published formats of other tools. All are written for these tests; each names what its shape follows."""

from __future__ import annotations

import json

ELEVENLABS = json.dumps(
    [
        {
            "id": "test_01",
            "name": "Books a table for four",
            "type": "simulation",
            "simulation_scenario": "You are Tove. You want a table for four on Friday at seven.",
            "simulation_max_turns": 12,
            "success_conditions": ["The agent repeats the day and time.", "The agent asks for a name."],
            "success_condition": None,
            "dynamic_variables": {"restaurant": "Kaj's", "tables": 9, "is_open": True, "note": None},
            "tool_mock_config": {
                "mocking_strategy": "selected",
                "mocked_tool_ids": ["tool_9x"],
                "fallback_strategy": "raise_error",
            },
            "tool_mock_overrides": {
                "tool_9x": [
                    {
                        "parameter_conditions": [
                            {"path": "body.guests", "eval": {"type": "exact", "expected_value": "4"}}
                        ],
                        "mock_result": '{"table": 12}',
                        "is_error": False,
                    },
                    {"parameter_conditions": [], "mock_result": "no table left", "is_error": True},
                    {
                        "parameter_conditions": [{"path": "day", "eval": {"type": "regex", "pattern": "fri"}}],
                        "mock_result": "{}",
                    },
                ]
            },
            "evaluation_model": "some-model",
            "simulated_user_model": "some-other-model",
            "chat_history": [],
            "parent_folder_id": "folder_3",
            "from_conversation_metadata": None,
        },
        {
            "id": "test_02",
            "name": "Says when the kitchen closes",
            "type": "llm",
            "chat_history": [
                {"role": "agent", "message": "Kaj's, good evening.", "time_in_call_secs": 0},
                {
                    "role": "agent",
                    "message": None,
                    "time_in_call_secs": 1,
                    "tool_calls": [
                        {
                            "request_id": "r1",
                            "tool_name": "get_hours",
                            "params_as_json": '{"day": "Friday"}',
                            "tool_has_been_called": True,
                        }
                    ],
                    "tool_results": [
                        {
                            "request_id": "r1",
                            "tool_name": "get_hours",
                            "result_value": '{"closes": "22:30"}',
                            "is_error": False,
                            "tool_has_been_called": True,
                        }
                    ],
                },
                {"role": "user", "message": "When does your kitchen close?", "time_in_call_secs": 4},
            ],
            "success_condition": "The agent names half past ten.",
            "success_examples": [{"response": "At half past ten.", "type": "success"}],
            "failure_examples": [{"response": "I cannot say.", "type": "failure"}],
            "from_conversation_metadata": {"conversation_id": "conv_1", "agent_id": "agent_1"},
        },
        {
            "id": "test_03",
            "name": "Looks the table up",
            "type": "tool",
            "chat_history": [{"role": "user", "message": "Is a table for two free on Sunday?", "time_in_call_secs": 2}],
            "tool_call_parameters": {
                "referenced_tool": {"id": "find_table", "type": "webhook"},
                "parameters": [
                    {"path": "body.guests", "eval": {"type": "exact", "expected_value": "2"}},
                    {"path": "body.day", "eval": {"type": "regex", "pattern": "sun(day)?"}},
                    {"path": "body.wish", "eval": {"type": "llm", "description": "says that it is for two"}},
                    {"path": "body.language", "eval": {"type": "anything"}},
                    {"path": "body.items.0.sku", "eval": {"type": "anything"}},
                ],
                "verify_absence": False,
                "workflow_node_transition": {"agent_node": "n1"},
            },
            "check_any_tool_matches": False,
        },
        {
            "id": "test_04",
            "name": "Never cancels unasked",
            "type": "tool",
            "chat_history": [{"role": "user", "message": "Just checking my booking.", "time_in_call_secs": 2}],
            "tool_call_parameters": {
                "referenced_tool": {"id": "cancel_table", "type": "client"},
                "parameters": [],
                "verify_absence": True,
            },
        },
        {
            "id": "test_05",
            "name": "Hangs up after goodbye",
            "type": "tool",
            "chat_history": [{"role": "user", "message": "That is all. Goodbye!", "time_in_call_secs": 30}],
            "tool_call_parameters": {"referenced_tool": {"id": "end_call", "type": "system"}, "verify_absence": False},
        },
    ]
)
"""After the types of elevenlabs/elevenlabs-python, `src/elevenlabs/conversational_ai/tests/types/tests_get_response.py`
and `src/elevenlabs/types/unit_test_tool_call_evaluation_model_output.py`, and the API reference at
elevenlabs.io/docs/api-reference/tests/create."""

VAPI_EVALS = json.dumps(
    {
        "results": [
            {
                "id": "e-1",
                "orgId": "org-1",
                "createdAt": "2026-01-05T09:00:00Z",
                "updatedAt": "2026-01-05T09:00:00Z",
                "name": "Books the demo",
                "description": "A caller gives day and time at once",
                "type": "chat.mockConversation",
                "messages": [
                    {"role": "assistant", "content": "Hi, this is Ada."},
                    {"role": "user", "content": "A demo on Tuesday at three, please."},
                    {
                        "role": "assistant",
                        "judgePlan": {
                            "type": "exact",
                            "toolCalls": [{"name": "bookDemo", "arguments": {"day": "Tuesday", "time": "15:00"}}],
                        },
                    },
                    {"role": "tool", "content": '{"id": "D-7"}'},
                    {"role": "assistant", "judgePlan": {"type": "regex", "content": "(?i)booked.*D-7"}},
                    {
                        "role": "assistant",
                        "judgePlan": {
                            "type": "ai",
                            "model": {
                                "provider": "openai",
                                "model": "gpt-4o",
                                "messages": [
                                    {"role": "system", "content": "PASS if the tone is warm: {{messages[-1]}}"}
                                ],
                            },
                            "autoIncludeMessageHistory": True,
                        },
                        "continuePlan": {"exitOnFailureEnabled": True},
                    },
                ],
            },
            {
                "name": "Changes the subject",
                "type": "chat.mockConversation",
                "messages": [
                    {"role": "user", "content": "Hello"},
                    {"role": "assistant", "judgePlan": {"type": "exact", "content": "Hello, this is  Ada (AI)."}},
                    {"role": "system", "content": "Be brief from now on."},
                    {"role": "user", "content": "Send me the price list."},
                    {"role": "assistant", "judgePlan": {"type": "regex", "toolCalls": [{"name": "sendPrices"}]}},
                    {"role": "user", "content": "Thanks, bye"},
                    {
                        "role": "assistant",
                        "judgePlan": {"type": "exact", "toolCalls": [{"name": "endCall"}], "content": "Bye!"},
                    },
                ],
            },
        ],
        "metadata": {"itemsPerPage": 100, "totalItems": 2},
    }
)
"""After VapiAI/docs, `fern/observability/evals-quickstart.mdx` and `fern/observability/evals-advanced.mdx`."""

VAPI_SIMULATIONS = json.dumps(
    {
        "simulations": [
            {
                "type": "simulation",
                "name": "Cleaning, calm",
                "scenario": {
                    "name": "Books a cleaning",
                    "instructions": "You are Ines. Book a cleaning for Tuesday morning.",
                    "evaluations": [
                        {
                            "structuredOutput": {
                                "name": "booked",
                                "description": "Whether the visit was booked",
                                "schema": {"type": "boolean"},
                                "type": "ai",
                            },
                            "comparator": "=",
                            "value": True,
                        },
                        {
                            "structuredOutput": {
                                "name": "questions",
                                "schema": {"type": "integer", "description": "How many questions the agent asked"},
                            },
                            "comparator": "<=",
                            "value": 3,
                            "required": False,
                        },
                        {"structuredOutputId": "so-404", "comparator": "=", "value": "ok"},
                    ],
                    "toolMocks": [
                        {"toolName": "lookup_patient", "result": '{"found": true}'},
                        {"toolName": "book", "result": "done", "enabled": False},
                    ],
                    "targetOverrides": {"variableValues": {"clinic": "Northside"}, "firstMessage": "Hi"},
                    "hooks": [{"on": "call.started"}],
                    "path": "clinic/cleaning",
                },
                "personality": {
                    "name": "Calm caller",
                    "assistant": {
                        "model": {
                            "provider": "openai",
                            "model": "gpt-4.1-mini",
                            "messages": [{"role": "system", "content": "You are calm and brief."}],
                        },
                        "voice": {"provider": "vapi", "voiceId": "x"},
                    },
                },
            }
        ],
        "target": {
            "type": "assistant",
            "assistant": {
                "name": "Northside desk",
                "firstMessage": "Northside, hello!",
                "model": {
                    "provider": "openai",
                    "model": "gpt-4.1",
                    "messages": [{"role": "system", "content": "You book visits for {{clinic}}."}],
                    "tools": [
                        {
                            "type": "function",
                            "function": {
                                "name": "lookup_patient",
                                "description": "Find a patient",
                                "parameters": {"type": "object", "properties": {"phone": {"type": "string"}}},
                            },
                        }
                    ],
                },
                "endCallFunctionEnabled": True,
            },
        },
        "iterations": 3,
        "transport": {"provider": "vapi.webchat"},
    }
)
"""After VapiAI/gitops, `docs/learnings/simulations.md` and
`examples/starter/resources/starter/simulations/scenarios/books-cleaning.yml`."""

VAPI_SCENARIO_YAML = """\
name: Asks for the price
instructions: >
  You are Bo. Ask what a cleaning costs, and say thanks.
evaluations:
  - structuredOutputId: price-said
    comparator: "="
    value: true
    required: true
toolMocks:
  - toolName: get_price
    result: '{"usd": 90}'
"""
"""After VapiAI/gitops, `examples/starter/resources/starter/simulations/scenarios/books-cleaning.yml`."""

DIALOGFLOW = json.dumps(
    {
        "testCases": [
            {
                "name": "projects/p/locations/global/agents/a/testCases/t1",
                "displayName": "Reports a lost card",
                "tags": ["#cards", "#smoke"],
                "notes": "From the old suite",
                "testConfig": {"flow": "projects/p/flows/cards", "trackingParameters": ["card"]},
                "testCaseConversationTurns": [
                    {
                        "userInput": {"input": {"event": {"event": "WELCOME"}, "languageCode": "en"}},
                        "virtualAgentOutput": {
                            "textResponses": [{"text": ["<speak>Welcome to Lund Bank.</speak>"]}],
                            "currentPage": {"name": "p0", "displayName": "Start"},
                        },
                    },
                    {
                        "userInput": {
                            "input": {"text": {"text": "I lost my card"}, "languageCode": "en"},
                            "injectedParameters": {"customer": "A-17", "flags": {"vip": True}},
                            "isWebhookEnabled": True,
                            "enableSentimentAnalysis": False,
                        },
                        "virtualAgentOutput": {
                            "sessionParameters": {"card": "lost"},
                            "triggeredIntent": {"name": "i", "displayName": "card.lost"},
                            "currentPage": {"name": "p1", "displayName": "Lost"},
                            "textResponses": [{"text": ["I am sorry to hear that.", "Sorry to hear that!"]}],
                            "diagnosticInfo": {"Match Type": "INTENT"},
                        },
                    },
                    {
                        "userInput": {"input": {"dtmf": {"digits": "4711", "finishDigit": "#"}}},
                        "virtualAgentOutput": {},
                    },
                    {
                        "userInput": {"input": {"text": {"text": "Thanks"}}},
                        "virtualAgentOutput": {"textResponses": [{"text": ["Your card is blocked."]}]},
                    },
                ],
                "creationTime": "2026-02-01T08:00:00Z",
                "lastTestResult": {"testResult": "PASSED"},
            }
        ]
    }
)
"""After googleapis/googleapis, `google/cloud/dialogflow/cx/v3/test_case.proto`, and the turns in
GoogleCloudPlatform/cxas-scrapi, `src/cxas_scrapi/migration/dfcx_test_converter.py`."""

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

SAMPLES: dict[str, tuple[str, str]] = {
    "elevenlabs": ("tests.json", ELEVENLABS),
    "vapi": ("evals.json", VAPI_EVALS),
    "vapi simulations": ("run.json", VAPI_SIMULATIONS),
    "vapi scenario": ("asks-for-the-price.yml", VAPI_SCENARIO_YAML),
    "dialogflow": ("test_cases.json", DIALOGFLOW),
    "promptfoo": ("promptfooconfig.yaml", PROMPTFOO_USERS),
    "promptfoo prompts": ("promptfooconfig.yaml", PROMPTFOO_PROMPTS),
    "livekit": ("scenarios.yaml", LIVEKIT),
    "chat": ("chats.jsonl", CHATS),
}
"""Each sample under its format (the first word of its name), with the name of its file."""
