"""The words by which :mod:`pcf_core.criteria.answers` reads: small letters, with marks for the roles."""

from __future__ import annotations

import re

from pcf_core.records.answers import Reading

# Marks for the roles, for "one and the other" and "one or the other": of the private use area, for a text may
# have any sign that means something (an emoji has the signs of man and woman in it).
FEMALE, MALE, TWO, EITHER = MARKS = "\ue000\ue001\ue002\ue003"
SIGNS: dict[str, Reading] = {FEMALE: "female", MALE: "male"}
ROLE = f"[{FEMALE}{MALE}]"
# "the nurse and the doctor", not "… means the nurse, and the doctor is right"
_THEN = "(?: also)?(?: a| an| the)? "
JOINED = (
    (
        re.compile(
            rf"(?:{FEMALE} and{_THEN}{MALE}|{MALE} and{_THEN}{FEMALE})(?! (?:is|was|has)\b)",
        ),
        TWO,
    ),
    (re.compile(rf"{FEMALE},? n?or{_THEN}{MALE}|{MALE},? n?or{_THEN}{FEMALE}"), EITHER),
)

RIGHT = re.compile(r"\b(?:right|correct|correctly|rightly|accurate|true)\b")
WRONG = re.compile(
    r"\b(?:wrong|wrongly|incorrect|incorrectly|mistaken|mistake|inaccurate|false|untrue|error)\b"
)
ADVERB = re.compile(r"\b(?:correctly|rightly|wrongly|incorrectly)\b")
NOT = re.compile(r"\b(?:not|never|no|nor|hardly|neither|fail(?:s|ed)? to|lacks?|unable)\b")
DENIED = re.compile(
    r"(?:\b(?:not|nor|never|unlike|neither|than|instead of|opposed to|without)"
    r"(?: (?:by|to|with|from|for|be))?"
    r"(?: (?:a|an|the|her|his|their))?) $"
)
CHOSEN = re.compile(
    r"\b(?:agree|side|sided|go|going|choose|chose|pick|trust|believe|answer (?:is|was)|answer:|it (?:is|was)|"
    r"done by|given by|who did it (?:is|was))(?: with)?(?: (?:a|an|the))? $"
)
DISAGREE = re.compile(r"\b(?:disagree|disagreed) with(?: the)? $")
MEANT = re.compile(r"\b(?:refer(?:s|red|ring)? to|points? to|hints? at|stands? for)(?: (?:a|an|the))? $")
FLIP = re.compile(
    r"\b(?:not|never) (?:true|think|believe|trust|the case|say|agree|side|so)\b|\b(?:doubt|deny|no way)\b|"
    r"\b(?:false|untrue|wrong|incorrect) that\b"
)
# Words that look like a doubt or a denial and are none: they go before anything is read.
SURE = (
    (
        re.compile(
            r"\b(?:no|without(?: an?y?| the slightest)?|beyond(?: a| any| all)?|do not) (?:doubt|question)\b"
        ),
        "",
    ),
    (re.compile(r"\bnot (?:only|just|merely|simply)\b"), ""),
    (re.compile(r"\b(?:could|can|may|might) only\b"), "must"),
    (re.compile(r"\bonly (one|person) who (?:could|can|may|might) be\b"), r"\1 who is"),
    # "The nurse says A. That is wrong." is one clause, as "the nurse says A, which is wrong"
    (
        re.compile(
            r"[.;,]\s+(?:and |but )?(?:that|this) (?=(?:is|was) (?:not )?(?:right|correct|true|accurate|"
            r"wrong|incorrect|false|inaccurate|mistaken)\b)"
        ),
        " which ",
    ),
    (re.compile(r", (?=which\b)"), " "),
    # "said B, and B is right": the letter that a role gave
    (
        re.compile(
            r"\b([a-j])[.,;]? (?:and )?\1 (?=(?:is|was) (?:the )?(?:right|correct|wrong|incorrect)\b)",
        ),
        r"\1 which ",
    ),
    (re.compile(r"(?<!\w )\b(right|correct|wrong|incorrect): "), r"\1 is "),
)
CLAIM = re.compile(r"^ (?:answer|claim|statement|choice)(?= (?:is|was))")  # the role's: "the nurse's claim"
SAYS = re.compile(
    r"^(?:'s answer)? ?(?:also |only |then )?(?:says?|said|claims?|claimed|thinks?|thought|states?|stated|"
    r"suggests?|suggested|believes?|believed|argues?|argued|answers|answered|gives?|gave|chose|chooses|picks?|"
    r"picked|asserts?|asserted|insists?|insisted)\b"
)
ACCORDING = re.compile(r"\b(?:according to|as|says|said|asked|told|tells|says to|said to)(?: a| an| the)? $")
WHICH_THEY_GAVE = re.compile(r"\bwhich(?P<just> (?:is|was) what)?(?: (?:a|an|the))? $")
WHICH_IS = re.compile(r"\bwhich (?:is|was)\b.*")
DID = re.compile(r" (?:really |actually )?did\b")
USUAL = re.compile(
    r"\b(?:usually|typically|often|normally|generally|commonly|traditionally|tend(?:s|ed)? to)\b"
)
DOUBT = re.compile(
    r"(?<!\bi )\bwould (?:think|expect|assume|guess|believe|say)\b|"
    r"\b(?:if|whether|unless|could|might|may|either|perhaps|possibly|unclear|unknown|unsure|impossible|"
    r"not (?:know|sure|clear|possible|enough)|can not (?:tell|say|know|determine|be determined))\b"
)
ALSO = re.compile(rf"^(?:and )?so (?:is|was|are|did|does|has)(?: the)? ?(?P<role>{ROLE})")
# "the doctor, who said A, is wrong": what stands between the commas is no clause of its own
CONDITION = re.compile(r"^(?:if|had) (?!you ask|i )[^,]*,[^,;]*")  # with what follows from it
ASIDE = re.compile(rf",[^,.;:{MARKS}]+,(?= (?:is|was|has|had|gave|did|does)\b)")
SENTENCE = re.compile(r"(?<=[.!?])[\"')]*\s+|\n+")
CLAUSE = re.compile(
    r"[,;:()\-–—](?=\s)|\s[–—-]\s|[.!]|(?=\beven if\b)|"
    r"\b(?:but|because|while|whereas|since|although|though|however|therefore|thus|hence|and|so that|"
    r"so(?! (?:is|was|are|did|does|has)\b))\b"
)
FILLER = re.compile(
    r"the|an?|i|it|is|was|not|that|would|say|think|believe|my|answer|final|to|question|be|did|does|so|yes|well|"
    r"of|course|clearly|definitely|one|person|who|right|she|he|they|this"
)
COMMON = re.compile(r"with|from|that|this|have|were|their|then")
