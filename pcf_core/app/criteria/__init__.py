"""The tab Criteria of *Written text*: request, one's own material, and a view for each experiment."""
