"""The MCP server: the service, for models that use tools."""
