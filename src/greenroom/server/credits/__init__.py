"""What a project may spend: its credits, its ledger and its budgets."""
