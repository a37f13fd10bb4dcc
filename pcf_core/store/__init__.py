"""The store: word log-probabilities and texts, content-addressed and never half-written.

Log-probabilities are stored by (scoring key, prompt, word), texts by (generation key, prompt, index).

    <root>/scores/<scoring hash>/<shard id>.parquet    prompt texts and, per prompt, one float32 nat per word
    <root>/scores/<scoring hash>/<shard id>.json       its manifest, written last: no shard without it
    <root>/texts/<generation hash>/<shard id>.…        a block of texts of one prompt, and its manifest
    <root>/runs/<run key>.json                         a requested run, and whether it is complete
    <root>/results/<run key>/<name>.parquet            aggregates that can be rebuilt from the scores
    <root>/results/<key>/<name>.json                   requests for texts, and their results
    <root>/catalogue.sqlite                            index from prompts to shards, rebuilt from the shards,
                                                       and the tables of the job queue

A second folder of the same layout, the shipped one, lies below the first and is only read.  PCF_SCORES moves
``scores``, and ``texts`` into a folder there, to a folder or object storage that several caches share.

Layer: imports only ``core``; pyarrow, sqlite3 and fsspec.
"""
