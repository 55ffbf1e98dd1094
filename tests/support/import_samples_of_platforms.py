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
