"""Past tenses of English verbs, by table and rule, and the verbs that report a clause.

Irregular verbs are from Quirk et al. 1985, "A Comprehensive Grammar of the English Language", 3.11-20,
spelling rules for ``-ed`` from its 3.6-9.  Of two forms (*dreamed*, *dreamt*) the American one is used, like
the treebanks.
"""

from __future__ import annotations

import re
from functools import lru_cache

# lemma past[/participle]
TABLE = """
arise arose/arisen  awake awoke/awoken  be was/been  bear bore/born  beat beat/beaten  become became/become
befall befell/befallen  beget begot/begotten  begin began/begun  behold beheld  bend bent  beseech besought
beset beset  bet bet  bid bid  bind bound  bite bit/bitten  bleed bled  blow blew/blown  break broke/broken
breed bred  bring brought  broadcast broadcast  browbeat browbeat/browbeaten  build built  burst burst
bust busted  buy bought  can could  cast cast  catch caught  choose chose/chosen  cling clung
come came/come  cost cost  creep crept  crossbreed crossbred  cut cut  deal dealt  dig dug  do did/done
draw drew/drawn
drink drank/drunk  drive drove/driven  dwell dwelt  eat ate/eaten  fall fell/fallen  feed fed  feel felt
fight fought  find found  fit fit  flee fled  fling flung  fly flew/flown  forbear forbore/forborne
forbid forbade/forbidden  forecast forecast  forget forgot/forgotten  forgive forgave/forgiven
forgo forwent/forgone  forsake forsook/forsaken  freeze froze/frozen  get got/gotten  give gave/given
go went/gone  grind ground  grow grew/grown  hang hung  have had  hear heard  hew hewed/hewn
hide hid/hidden  hit hit  hold held  hurt hurt  input input  keep kept  kneel knelt  know knew/known
lay laid  lead led  leave left  lend lent  let let  lie lay/lain  light lit  lose lost  make made  may might
mean meant  meet met  mow mowed/mown  must must  offset offset  partake partook/partaken  pay paid
plead pleaded  prove proved/proven  put put  quit quit  read read  rend rent  rid rid  ride rode/ridden
ring rang/rung  rise rose/risen  run ran/run  saw sawed/sawn  say said  see saw/seen  seek sought  sell sold
send sent  set set  sew sewed/sewn  shake shook/shaken  shall should  shed shed  shine shone  shit shit
shoot shot  show showed/shown  shrink shrank/shrunk  shut shut  sing sang/sung  sink sank/sunk  sit sat
slay slew/slain  sleep slept  slide slid  sling slung  slink slunk  slit slit  smite smote/smitten
sow sowed/sown  speak spoke/spoken  speed sped  spend spent  spin spun  spit spat  split split
spread spread  spring sprang/sprung  stand stood  steal stole/stolen  stick stuck  sting stung
stink stank/stunk  strew strewed/strewn  stride strode/stridden  strike struck  string strung
strive strove/striven  sublet sublet  swear swore/sworn  sweep swept  swell swelled/swollen
swim swam/swum  swing swung  take took/taken  teach taught  tear tore/torn  tell told  think thought
throw threw/thrown  thrust thrust  tread trod/trodden  wake woke/woken  wear wore/worn  weave wove/woven
wed wed  weep wept  wet wet  will would  win won  wind wound  wring wrung  write wrote/written
"""
FORMS = {
    lemma: (forms.split("/")[0], forms.split("/")[-1])
    for lemma, forms in zip(TABLE.split()[::2], TABLE.split()[1::2], strict=True)
}
PASTS = frozenset(past for past, _ in FORMS.values()) - FORMS.keys()
PREFIXES = ("out", "over", "under", "with", "fore", "inter", "mis", "off", "up", "un", "re", "pre", "co")
PREFIXED_REGULAR = frozenset({"relay", "refit", "outfit"})
BROKEN_UP = re.compile(r"(.+-)([a-z]+)")
SHORT = re.compile(r"(?:qu|[^aeiou])*[aeiouy][bcdfghjklmnpqrstvz]")  # stop, quiz: one vowel, one consonant
# Longer verbs that double their last letter: stressed on the last syllable, or ending in a short word.
DOUBLING = """
abet abhor acquit admit airdrop allot annul backstab befit bootleg cancel commit compel concur confer
control debug defer demur deter diagram disbar dispel distil eavesdrop embed emit enrol enthral entrap equip
excel expel extol format fulfil handicap hobnob horsewhip impel incur infer inter kidnap leapfrog nonplus
occur omit outfit outstrip outwit overlap overstep overtop patrol permit prefer program propel rebel rebut
recap recur refer refit regret reinter remit repel retrofit sandbag sidestep submit transfer transmit
unclip underpin unplug unwrap unzip worship zigzag
"""
DOUBLED = frozenset(DOUBLING.split())
KEPT_C = frozenset({"arc", "sync", "talc", "zinc"})

# Verbs with a finite clause as their object (Francis, Hunston & Manning 1996, "Collins COBUILD Grammar
# Patterns 1: Verbs", the patterns V that and V n that).
REPORTS = """
accept acknowledge add admit advise advocate affirm agree allege announce answer anticipate argue assert
assume assure attest believe bet boast brag calculate caution certify check claim clarify comment complain
concede conclude concur confess confide confirm conjecture consider contend convince counter declare decide
deduce demand demonstrate deny desire determine detect dictate disclose discover doubt dream elaborate
emphasise emphasize ensure establish estimate expect explain exclaim fear feel figure find foresee foretell
forget gather grant grumble guarantee guess hear hint hold hope hypothesise hypothesize imagine imply
indicate infer inform insinuate insist instruct intimate joke judge know lament learn maintain mean mention
mutter note notice notify object observe opine order persuade pledge point postulate pray predict presume
pretend proclaim profess promise prophesy propose protest prove quip read realise realize reason reassure
recall reckon recognise recognize recommend recount reflect regret reiterate relate remark remember remind
repeat reply report request require resolve respond retort reveal rule say see sense show sigh signal
speculate state stipulate stress suggest suppose surmise suspect swear teach tell testify theorise theorize
think threaten understand underline urge verify vow warn whisper wish worry write yell
"""
REPORTING = frozenset(REPORTS.split())


def past_tense(lemma: str) -> str:
    """Form the past tense: "take" -> "took", "stop" -> "stopped", "be" -> "was"."""
    return _forms(lemma)[0]


def past_participle(lemma: str) -> str:
    """Form the past participle: "take" -> "taken", "stop" -> "stopped", "be" -> "been"."""
    return _forms(lemma)[1]


def is_irregular_past(word: str) -> bool:
    """Tell whether a word is an irregular past tense, and no lemma: "shook"."""
    return word in PASTS


def is_reporting(lemma: str) -> bool:
    """Tell whether a verb can have a clause with *that* as its object: "say", "believe", "tell"."""
    return lemma in REPORTING


@lru_cache(maxsize=65536)
def _forms(lemma: str) -> tuple[str, str]:
    if lemma in FORMS:
        return FORMS[lemma]
    if parts := BROKEN_UP.fullmatch(lemma):
        first, second = _forms(parts[2])
        return parts[1] + first, parts[1] + second
    for prefix in PREFIXES:
        if lemma.startswith(prefix) and lemma[len(prefix) :] in FORMS and lemma not in PREFIXED_REGULAR:
            first, second = FORMS[lemma[len(prefix) :]]
            return prefix + first, prefix + second
    return (_regular(lemma),) * 2


def _regular(lemma: str) -> str:
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2:-1] not in tuple("aeiou"):
        return lemma[:-1] + "ied"
    if lemma.endswith("c") and lemma not in KEPT_C:
        return lemma + "ked"
    if SHORT.fullmatch(lemma) or lemma in DOUBLED:
        return lemma + lemma[-1] + "ed"
    return lemma + "ed"
