"""Readers of files: from the bytes of a PDF, a Word file, a web page or a text to its blocks in reading order."""
