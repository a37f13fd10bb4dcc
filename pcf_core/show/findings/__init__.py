"""Findings: records in, plain sentences out.

Sentences say what was measured, never why, and call no model fair or racist.  Pages escape them for Markdown.
"""
