"""The view Hobbies of the page Criteria: what is said of students by the gender of their name."""

from __future__ import annotations
