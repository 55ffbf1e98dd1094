"""The pages of the console, one module a place. Importing `all_pages` registers them."""
