"""What every writer of CSV must know of the programs that open it."""

# A cell that begins with one of these is computed by a spreadsheet, the wide forms in some languages
# (https://owasp.org/www-community/attacks/CSV_Injection).
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
