"""Programs that make what the repository ships: models, parser, template sets, factors, results."""
