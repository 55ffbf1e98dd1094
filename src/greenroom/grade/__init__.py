"""How a finished talk is graded: deterministic checks, the judge and its scorecard, grounding, the verdict.

Deterministic checks are pure. The judge is reached only through the `Ask` that the caller brings.
"""
