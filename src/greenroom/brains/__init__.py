"""Models behind one port: providers, scripted brains, retries and prices. `connect.connect_brain` is the way in."""
