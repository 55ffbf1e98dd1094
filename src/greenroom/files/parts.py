"""The conveniences of a file, taken off: paths become the texts they lead to, `${NAME}` becomes a secret.

What is left has the very shape of `greenroom.model`.

- `prompt` and `persona` (also that of a variation) may name a text file.
- `tools` and the `script` of a model may name a YAML or JSON file that holds the list.
- A document of `knowledge` may be a path, or `{file: path}` with a `name` of its own or the file's.
- Values of `variables` are text as it is written: `price: 4.50` stands for `4.50`.
- `${NAME}` is read from the environment in `tool_webhook.secret`, in `headers` of an HTTP tool, in `headers` and
  `env` of an MCP server, and in `headers` of a remote agent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from greenroom.files.environment import Unset, Use, fill_in, fill_in_all
from greenroom.files.library import Library, beside
from greenroom.files.nodes import Entry, ListNode, MapNode, Node, ScalarNode, text_of

_ANY_RULE = {"role": "agent", "say": "…"}
LLM_FIELDS = ("llm", "llm_fallback", "caller_llm", "judge_llm")


@dataclass(frozen=True, slots=True)
class AgentPart:
    """An agent's tree in the shape of the model, and the secrets that could not be filled in. `is_whole`: every file
    that it names could be read."""

    node: MapNode
    is_whole: bool = True
    unset: tuple[Unset, ...] = ()


def read_agent(node: MapNode, library: Library, environ: Mapping[str, str]) -> AgentPart:
    """Read an agent, or the part of one that a variant gives."""
    changes: dict[str, Node] = {}
    mistakes_before = len(library.ledger.mistakes)
    for field, entry in node.entries.items():
        value = entry.value
        if field == "prompt":
            changes[field] = library.words(value)
        elif field == "tools":
            changes[field] = _list_by_path(value, library)
        elif field in LLM_FIELDS and isinstance(value, MapNode) and (script := value.get("script")):
            changes[field] = value.with_values({"script": _list_by_path(script, library, _ANY_RULE)})
        elif field == "knowledge" and isinstance(value, MapNode):
            changes[field] = _knowledge(value, library)
        elif field == "variables":
            changes[field] = _as_written(value)
    part = _with_secrets(node.with_values(changes), library, environ)
    return replace(part, is_whole=len(library.ledger.mistakes) == mistakes_before)


def read_test(node: MapNode, library: Library) -> MapNode:
    """Read a test."""
    changes: dict[str, Node] = {}
    if (variables := node.get("variables")) is not None:
        changes["variables"] = _as_written(variables)
    for field in LLM_FIELDS:
        if isinstance(llm := node.get(field), MapNode) and (script := llm.get("script")):
            changes[field] = llm.with_values({"script": _list_by_path(script, library, _ANY_RULE)})
    if isinstance(caller := node.get("caller"), MapNode):
        changes["caller"] = _with_persona(caller, library)
    if isinstance(variations := node.get("variations"), ListNode):
        read = tuple(_variation(item, library) for item in variations.items)
        changes["variations"] = ListNode(variations.place, read)
    return node.with_values(changes)


def _variation(node: Node, library: Library) -> Node:
    if not isinstance(node, MapNode):
        return node
    read = _with_persona(node, library)
    variables = read.get("variables")
    return read if variables is None else read.with_values({"variables": _as_written(variables)})


def _with_persona(node: MapNode, library: Library) -> MapNode:
    persona = node.get("persona")
    return node if persona is None else node.with_values({"persona": library.words(persona)})


def _as_written(node: Node) -> Node:
    if not isinstance(node, MapNode):
        return node
    entries = {key: Entry(entry.key_place, _text_as_written(entry.value)) for key, entry in node.entries.items()}
    return MapNode(node.place, entries)


def _text_as_written(node: Node) -> Node:
    if isinstance(node, ScalarNode) and isinstance(node.value, bool | int | float):
        return ScalarNode(node.place, node.written, node.written)
    return node


def _list_by_path(node: Node, library: Library, instead: Mapping[str, str] | None = None) -> Node:
    """The list that a path leads to. Where it cannot be read, which is told, `instead` is its one item: a list that
    lacks what it cannot have is no second mistake."""
    path = text_of(node)
    if path is None:
        return node
    if not path.strip():
        library.ledger.add(node.place, "this path is empty: name the file that holds the list")
        return _stand_in(node, instead)
    tree = library.tree(beside(node.place.file, path), node.place)
    return _stand_in(node, instead) if tree is None else tree


def _stand_in(node: Node, instead: Mapping[str, str] | None) -> ListNode:
    if instead is None:
        return ListNode(node.place, ())
    fields = {key: Entry(node.place, ScalarNode(node.place, text, text)) for key, text in instead.items()}
    return ListNode(node.place, (MapNode(node.place, fields),))


def _knowledge(node: MapNode, library: Library) -> MapNode:
    documents = node.get("documents")
    if not isinstance(documents, ListNode):
        return node
    return node.with_values(
        {"documents": ListNode(documents.place, tuple(_document(item, library) for item in documents.items))}
    )


def _document(node: Node, library: Library) -> Node:
    if isinstance(node, ScalarNode) and isinstance(node.value, str) and node.value.strip():
        return _document_from(node, None, MapNode(node.place, {}), library)
    if not isinstance(node, MapNode) or (file := node.get("file")) is None:
        return node
    if "text" in node.entries:
        library.ledger.add(node.entries["file"].key_place, "a document has either `text` or `file`: take one out")
    return _document_from(file, node.get("name"), node.without("file", "text"), library)


def _document_from(path: Node, name: Node | None, rest: MapNode, library: Library) -> MapNode:
    given = text_of(path)
    if given is None or not given.strip():
        library.ledger.add(path.place, "`file` is the path of a text file")
        given, text = "unnamed", None
    else:
        text = library.text(beside(path.place.file, given), path.place)
    stem = beside(path.place.file, given).stem
    return rest.with_values(
        {
            "name": name or ScalarNode(path.place, stem, stem, verbatim=True),
            "text": ScalarNode(path.place, text or "", text or "", verbatim=True),
        }
    )


def _with_secrets(node: MapNode, library: Library, environ: Mapping[str, str]) -> AgentPart:
    unset: list[Unset] = []
    changes: dict[str, Node] = {}

    def fill(holder: Node, use: Use, *fields: str) -> Node:
        if not isinstance(holder, MapNode):
            return holder
        for field in fields:
            if isinstance(secrets := holder.get(field), MapNode):
                filled, missing = fill_in_all(secrets, use, environ, library.ledger)
                holder = holder.with_values({field: filled})
                unset.extend(missing)
        return holder

    if isinstance(webhook := node.get("tool_webhook"), MapNode) and (secret := webhook.get("secret")) is not None:
        value, missing = fill_in(secret, "webhook", environ, library.ledger)
        changes["tool_webhook"] = webhook.without("secret") if value is None else webhook.with_values({"secret": value})
        unset.extend(missing)
    if isinstance(servers := node.get("mcp_servers"), ListNode):
        filled = tuple(fill(server, "mcp", "headers", "env") for server in servers.items)
        changes["mcp_servers"] = ListNode(servers.place, filled)
    if isinstance(tools := node.get("tools"), ListNode):
        changes["tools"] = ListNode(tools.place, tuple(_with_http(tool, fill) for tool in tools.items))
    if (remote := node.get("remote")) is not None:
        changes["remote"] = fill(remote, "remote", "headers")
    return AgentPart(node.with_values(changes), unset=tuple(unset))


def _with_http(tool: Node, fill: Callable[..., Node]) -> Node:
    if not isinstance(tool, MapNode) or (http := tool.get("http")) is None:
        return tool
    return tool.with_values({"http": fill(http, "http", "headers")})
