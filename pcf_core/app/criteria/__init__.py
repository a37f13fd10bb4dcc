"""The tab Criteria of *Written text*: request, material of one's own, results, and a view each."""
