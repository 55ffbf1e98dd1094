"""The door `evasay`: tests of three types against an agent's draft, paid in credits."""
