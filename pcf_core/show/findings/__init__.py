"""Findings: records in, plain sentences out.

Sentences say what was measured, never why, and call no model fair or racist.  They are plain text: a page
that shows them as Markdown escapes them first.
"""
