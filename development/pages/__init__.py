"""The generated pages of ``docs/reference``, a module for each part of it."""
