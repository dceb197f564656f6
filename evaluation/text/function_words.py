"""Words of English that hold a sentence together and say nothing of what it is about.

Articles, pronouns, prepositions, conjunctions, auxiliaries, and adverbs of degree, in lower case; of contractions both
halves, as runs of letters give them ("don't" is "don" and "t").
"""

_WORDS = """
a about above across actually after again against ago ah ain all almost along alright already also although always
am among an and another any anybody anyhow anymore anyone anything anyway anywhere are aren around as at away back
be because been before behind being below beneath beside besides between beyond both but by can cannot cant cause
could couldn cos cuz d did didn do does doesn doing don done dont down during each either else enough even ever
every everybody everyone everything everywhere except few for from further gonna gotta had hadn has hasn have haven
having he hello hence her here hers herself hey hi him himself his hm hmm how however i if im in indeed instead
into is isn it its itself just kinda lately least less lest let ll m many may maybe me might mightn mine more most
much must mustn my myself nah near nearly needn neither never nevertheless no nobody none nope nor not nothing now
nowhere o of off oh ok okay on once one ones oneself only onto or other others otherwise ought our ours ourselves
out over own per perhaps please plus quite rather re really s same several shall shan she should shouldn since so
some somebody somehow someone something sometimes somewhat somewhere soon sorta still such t than that thats the
their theirs them themselves then there therefore these they this those though through throughout thus till to
together too toward towards truly u ugh uh um under unless until up upon us ve very via was wasn we well were weren
what whatever when whenever where wherever whether which whichever while who whoever whole whom whose why will with
within without won would wouldn y ya yeah yep yes yet yo you your yours yourself yourselves
"""
FUNCTION_WORDS = frozenset(_WORDS.split())


def telling(token: str) -> tuple[bool, int]:
    """Sorts the tokens of a phrase by how seldom a text holds them: function words first, long words last."""
    return token not in FUNCTION_WORDS, len(token)
