"""How a talk is played: the loop, the caller, the agent's side, hand-offs and limits.

Everything here talks to the outside only through `greenroom.play.ports` and the model port of
`greenroom.model.talk`.
"""
