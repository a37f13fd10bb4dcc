"""Chinese for the miner: its sentences, its words, and the few constructions that its rules read.

``sentences`` finds sentences in a script without spaces, ``words`` are the lists of ``assets/language/zh``,
``subjects`` says whether a subject is one person whom a pronoun can mean, ``finders`` are the constructions.

The rules read relations of Universal Dependencies as in the treebank UD Chinese GSD, and what
:data:`pcf_core.mining.parser.schemes.STANFORD` makes of the labels of spaCy's Chinese packages.  No precision
was measured, so no construction is on by itself.
"""
