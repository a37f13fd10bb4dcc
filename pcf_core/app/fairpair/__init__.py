"""The tab FairPair of *Written text*: request, results, pictures, and ways back to them."""
