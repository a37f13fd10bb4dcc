"""The store: word log-probabilities and texts, content-addressed and never half-written.

Log-probabilities are kept by (scoring key, prompt, word), texts by (generation key, prompt, index).

    <root>/scores/<scoring hash>/<shard id>.parquet    prompt texts and, per prompt, one float32 nat per word
    <root>/scores/<scoring hash>/<shard id>.json       its manifest, written last: no shard without it
    <root>/texts/<generation hash>/<shard id>.…        a block of texts of one prompt, and its manifest
    <root>/runs/<run key>.json                         what was asked for, and whether it is complete
    <root>/results/<run key>/<name>.parquet            aggregates that can be rebuilt from the scores
    <root>/results/<key>/<name>.json                   what was asked of texts, and what was found
    <root>/catalogue.sqlite                            index from prompts to shards, rebuilt from the shards;
                                                       the job queue has its tables in the same file

A second folder of the same layout, the shipped one, lies below the first and is only read.  The setting
PCF_SCORES puts ``scores`` elsewhere, in a folder or object storage that the caches of several machines share,
and ``texts`` into a folder there.

Layer: imports ``core`` alone; pyarrow, sqlite3 and fsspec.
"""
