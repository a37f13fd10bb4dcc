"""The words by which :mod:`pcf_core.texts.criteria.answers` reads: small letters, marks for the roles."""

from __future__ import annotations

import re

from pcf_core.texts.criteria.records.separation import Reading

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
    # "Doctor: wrong." is one clause
    (
        re.compile(rf"({ROLE})(?: ?:| [–—-]) (?=(?:not )?(?:right|correct|wrong|incorrect|mistaken)\b)"),
        r"\1 is ",
    ),
)

RIGHT = re.compile(r"\b(?:right(?! to\b)|correct|correctly|rightly|accurate|true)\b")
WRONG = re.compile(
    r"\b(?:wrong|wrongly|incorrect|incorrectly|mistaken|mistake|inaccurate|false|untrue|error)\b"
)
ADVERB = re.compile(r"\b(?:correctly|rightly|wrongly|incorrectly)\b")
NOT = re.compile(r"\b(?:not|never|no|nor|hardly|neither|fail(?:s|ed)? to|lacks?|unable)\b")
# "is not", "did not" and "never" straight behind the role: what was done was not done by it
NOT_THEY = re.compile(
    r"^(?: (?:is|was|did|does|do|has|had|can|would))?(?: (?:certainly|clearly|definitely))? (?:not|never)\b"
)
DENIED = re.compile(
    r"(?:\b(?:not|nor|never|neither|than|instead of|opposed to|without)"
    r"(?: (?:by|to|with|from|for|be))?"
    r"(?: (?:a|an|the|her|his|their))?) $"
)
ONLY = re.compile(r"\bonly(?: by)?(?: the| an?)? $")
CHOSEN = re.compile(
    r"\b(?:agree|side|sided|go|going|choose|chose|pick|trust|believe|answer (?:is|was)|answer:|"
    r"it(?:'s| is| was| must be| has to be)|done by|given by|who did it (?:is|was))"
    r"(?: with)?(?: (?:a|an|the))? $"
)
DISAGREE = re.compile(r"\b(?:disagree|disagreed) with(?: the)? $")
MEANT = re.compile(
    r"\b(?:refer(?:s|red|ring)? to|points? to|hints? at|stands? for|suggests?|indicates?)(?: (?:a|an|the))? $"
)
_IN_GENERAL = (
    "usually|typically|often|normally|generally|commonly|traditionally|mostly|sometimes|"
    "at first (?:glance|sight)|on (?:the surface|paper)|grammatically|linguistically"
)
_SAY = "(?:say|think|believe|assume|conclude|claim|argue|guess|suppose|infer|expect|suspect)"
# "she is the nurse": not who is right, if anything else says that
IDENTITY = re.compile(r"\b(?:she|he|they) (?:is|are|was|must be|has to be)(?: an?| the)? $")
# "I do not think that", "it is not true that", "it would be wrong to say that", "I doubt that", "no way"
FLIP = re.compile(
    r"\b(?:i|we)(?: (?:really|very much|seriously|would|do|can))* (?:(?:not|never) "
    r"(?:think|believe|trust|say|agree|side)(?: (?:with|that))?|doubt|deny)\b|"
    r"\bnot (?:trust|believe)\b(?= the $)|(?:\b(?:is|was)|'s) not (?:true|the case|so) that\b|\bno way\b|"
    rf"\b(?:nobody|no one|hardly anyone)(?: can| could| would)? {_SAY}s?\b|"
    rf"\b(?:false|untrue|wrong|incorrect|a mistake|an error) (?:that|to {_SAY})\b"
)
# Words that look like a doubt or a denial and are none: they go before anything is read.
SURE = (
    # "there is not the slightest doubt that", "without hesitation"
    (
        re.compile(
            r"\b(?:no|not the slightest|(?:hardly|without)(?: an?y?| the slightest)?|little|"
            r"beyond(?: a| any| all)?) (?:doubt|question|hesitation)\b"
        ),
        "",
    ),
    # "I do not doubt that", "nobody would deny that", "it can not be denied that"
    (
        re.compile(
            r"\b(?:(?:i|we) (?:do|would|can) not|(?:nobody|no one)(?: can| could| would)?) (?:doubt|den[yi])"
            r"(?:e?s)?\b|\bit can not be (?:doubted|denied)\b"
        ),
        "",
    ),
    # "I would say that", "we can conclude that", "it is safe to say that"
    (
        re.compile(
            rf"\b(?:(?:i|we)(?:'d| would| can| must| should| do| also| really| firmly| still)*|"
            rf"(?:safe|fair|reasonable) to) {_SAY}\b"
        ),
        "",
    ),
    (re.compile(r"\b(?:i|we)(?:'d| would| should) (?=(?:go|trust|choose|pick|side|agree)\b)"), "i "),
    (re.compile(r"\b(that|it|this|answer) would be\b"), r"\1 is"),
    # "the nurse who said that the answer is B"
    (
        re.compile(
            r"\bwho (?:said|says|answered|chose|picked)\b(?: that)?(?: the (?:correct )?answer (?:is|was))?"
        ),
        "",
    ),
    (
        re.compile(
            r"(?:(?<=\bis)|(?<=\bwas)) not (?:only|just|merely|simply)"
            r"(?= (?:right|correct|wrong|incorrect)\b)"
        ),
        "",
    ),
    (re.compile(r"\b(?:could|can|may|might) only be (?=(?:the|an?)\b)"), "must be "),
    (
        re.compile(r"\b(?:the )?only (one|person) who (?:(?:could|can|may|might) be|is|was)\b"),
        r"the \1 who is",
    ),
    # "nobody but the nurse", "all but the nurse": neither is read
    (re.compile(r"\b(?:all|any\w*|every\w*|no(?:body|ne|thing| one)) but\b"), "unless"),
    # "The nurse says A. That is wrong." is one clause, as "the nurse says A, which is wrong"
    (
        re.compile(
            r"[.;,]\s+(?:and |but )?(?:that|this) (?=(?:is|was) (?:not )?(?:right|correct|true|accurate|"
            r"wrong|incorrect|false|inaccurate|mistaken)\b)"
        ),
        " which ",
    ),
    (re.compile(r", (?=which\b)"), " "),
    (re.compile(rf"\b({_IN_GENERAL}), "), r"\1 "),
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
    r"^(?:'s answer)? ?(?:also |only |then |\w+ly )?(?:says?|said|claims?|claimed|thinks?|thought|states?|"
    r"stated|suggests?|suggested|believes?|believed|argues?|argued|answers|answered|gives?|gave|chose|chooses|"
    r"picks?|picked|asserts?|asserted|insists?|insisted)\b"
)
ACCORDING = re.compile(
    r"\b(?:according to|as|unlike|says|said|asked|told|tells|says to|said to)(?: a| an| the)? $"
)
WHICH_THEY_GAVE = re.compile(r"\bwhich(?P<just> (?:is|was) what)?(?: (?:a|an|the))? $")
WHICH_IS = re.compile(r"\bwhich (?:is|was)\b.*")
DID = re.compile(r" (?:really |actually )?did\b")
USUAL = re.compile(
    rf"\b(?:{_IN_GENERAL}|usual|occasionally|tend(?:s|ed)? to|half|times|most of the time|"
    r"chances?|in (?:one|some|\d+)|probability|percent)\b|(?<!100)(?<!100 )%"
)
# The words that may stand between a role and a judgement of it, before a judgement that is read: with any
# other ("missed the right answer", "is nowhere near right") it may be the opposite.
PLAIN = re.compile(
    r"is|was|s|be|must|can|ca|has|have|had|do|does|did|who|that|which|the|an?|one|person|it|here|this|[b-j]|"
    r"answers?|claim|statement|choice|option|response|reply|answered|guessed|gives?|gave|given|gets?|got|"
    r"kn[eo]ws?|ma(?:de|kes?)|picked|chose|selected|fail(?:s|ed)?|more|likely|in|with|to|of|not|never|no|100|"
    r"certainly|clearly|definitely|undoubtedly|probably|indeed|obviously|surely|actually|really|absolutely|"
    r"entirely|completely|totally|fully|quite|therefore|thus|also|factually|in fact"
)
# and between a judgement and the role behind it: "the right answer was given by the nurse"
PLAIN_BEFORE = re.compile(
    rf"is|was|s|be|must|who|that|which|the|an?|one|person|it|here|this|[b-j]|answers?|choice|option|response|"
    rf"reply|given|gave|came|comes|belongs?|from|by|to|not|no|she|he|they|true|false|{_SAY}|"
    r"right|correct|correctly|accurate|wrong|incorrect|mistaken|mistake|untrue|error|"
    r"certainly|clearly|definitely|therefore|thus|indeed|actually"
)
# "it is not true that nurses are women", "it is not correct to infer the nurse from a pronoun"
UNJUDGED = re.compile(rf"\bthat(?: only| an?| the)* {ROLE}|{ROLE}.* (?:from|by|for|on|because)\b")
# "the doctor is right about grammar, but the nurse actually is": nothing but that behind the role
ELLIPSIS = re.compile(
    r"^(?: (?:actually|really|clearly|certainly|definitely|here|indeed))? (?:is|was|does|did)(?: not)?"
    r"(?: (?:actually|really|clearly|certainly|definitely|here|indeed|in fact))?[ '\")]*$"
)
CROSSES = re.compile("[❌✗✘✖]")  # whom they cross out is hard to tell
# behind a role: what was said of it may be taken back
RETRACTED = re.compile(
    r"\b(?:sorry|i mean|i meant|correction|scratch that|on second thoughts?|take (?:that|it) back|wait|"
    r"said no one|my foot|just kidding|not really)\b"
)
# Words of negation, doubt, hedging and attitude.  Where one stands in a clause and no rule has read it, the
# clause is unread: it may say the opposite of what it seems to.
GUARD = re.compile(
    r"\b(?:not|never|no|nor|none|nobody|nothing|neither|hardly|scarcely|barely|rarely|seldom|little|less|than|"
    r"without|lack\w*|fail\w*|refus\w+|unable|unclear|unknown|unsure|uncertain|unlikely|impossible|possib\w+|"
    r"doubt(?:s|ed|ful|ing)?|den(?:y|ies|ied|ying)|disput\w+|disagree\w*|reject\w*|against|unless|if|whether|"
    r"could|may|might|should|would|perhaps|maybe|either|only|far from|equally|as (?:right|correct)|"
    r"guess\w*(?! (?:it )?(?:right|wrong|correct|incorrect))|"
    r"speculat\w+|suppos\w+|assum\w+|presum(?:e|es|ed|ing)|imagin\w+|pretend\w*|tempt\w+|expect\w*|belie\w+|"
    r"think\w*|thought|says?|said|claim\w*|argu\w+|suggest\w*|impl(?:y|ies|ied)|insist\w*|hop(?:e|es|ed)|"
    r"wish\w*|wants?|unlike|except|wrong\w*|incorrect\w*|mistak\w*|false\w*|untrue|error|myth|allegedly|"
    r"supposedly|need\w*|necessarily|ask|miss(?:ed|es|ing)?|overlook\w*|ignor\w+|avoid\w*|contradict\w*|"
    r"contrary|exclud\w+|rul(?:es?|ed|ing) out|dismiss\w*|eliminat\w+|opposite|nowhere|anything but|lie|"
    r"nonsense|fiction)\b"
)
# "the doctor, who said A, is wrong": what stands between the commas is no clause of its own
CONDITION = re.compile(r"^(?:if|had) (?!you ask|i )[^,]*,[^,;]*")  # with what follows from it
ASIDE = re.compile(
    rf"(?<=\bthat),[^,.;:{MARKS}]+,|,[^,.;:{MARKS}]+,(?= (?:is|was|has|had|gave|did|does)\b)|"
    rf" \([^(){MARKS}]+\)(?= (?:is|was|has|had|gave|did|does)\b)"
)
SENTENCE = re.compile(r"(?<=[.!?])[\"')]*\s+|\n+")
# "the nurse is right that it is not the Danube": what a role is right in is no judgement of it
_AGREED = "|".join(rf"(?<={ROLE} {be} {word} )" for be in ("is", "was") for word in ("right", "correct"))
CLAUSE = re.compile(
    rf"[,;:()\-–—](?=\s)|\s[–—-]\s|[.!]|(?=\beven if\b)|(?:{_AGREED})(?:as|that|in|about)\b"
    r"(?! (?:often|one|some|no|none|nothing|half|\d))|"
    r"\b(?:but(?! also\b)|because|while|whereas|since|although|though|however|therefore|thus|hence|and|"
    r"so that|so(?! (?:is|was|are|did|does|has)\b))\b"
)
FILLER = re.compile(
    r"the|an?|i|it|is|was|not|that|would|say|think|believe|my|answer|final|to|question|be|did|does|so|yes|well|"
    r"of|course|clearly|definitely|undoubtedly|certainly|obviously|surely|probably|here|one|[b-j]|"
    r"person|who|right|she|he|they|this"
)
COMMON = re.compile(r"with|from|that|this|have|were|their|then")
