"""The console: the service in a browser, served at `/` over the rooms' services.

`mounting.py` puts it into the app; `session.py` knows who looks at a page and lets them act; `frame.py` draws what all
pages share; `parts/` holds what pages are made of, and `pages/` the pages, one module a place.
"""
