"""Who may do what: keys, passwords, scopes, and the secrets of projects."""
