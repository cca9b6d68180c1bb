"""The site: pages of ``docs/`` and those beside it, a gallery of reports, and a check of its links.

``make site`` builds it into ``site/``; its pages work from ``file://`` too.
"""
