"""Tool answers from the outside: signed webhooks, HTTP tools, MCP servers, knowledge search."""
