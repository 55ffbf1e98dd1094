"""The durable queue: which runs wait, which worker plays them, and what each has already been answered."""
