"""Words of English by which numbers, dates and names are read, and those that say little of its subject."""

_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_MONTHS = "january february march april may june july august september october november december"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_GENERAL = """
cost costs price fee take takes took last lasts have has hold holds held get gets pay pays charge amount total number
size rate length height date day time year month week hour name names called named contain contains make makes say said
says tell told know remember think believe sure see look looks use used start starts begin begins open opens close
closes closed end ends leave leaves work works place user lie lies located situated possible exactly currently usually
normally always today now good well right course actually indeed whole full really high long deep wide old large big
"""
_TELLING = "open opens close closes closed start starts end ends begin begins leave leaves"
_OPPOSED = "new old other another next second last first same former previous different"
_FILLERS = """
afraid glad sorry happy sure reminder mention mentioned noted understand recall correctly question great
good best nice lovely popular wonderful fine
"""
_TITLES = "dr mr mrs ms miss prof professor doctor sir madam st"
_PARTICLES = "le la de van von der den da di du del bin al"
_PLACES = "in at from to near around by of"
_INSTITUTIONS = """
line lifeline hotline helpline samaritans association society service services foundation organization organisation
institute university hospital trust church ministry department office act law
"""
_NOT_ROLES = "is was are were called named ask asked told tell with like friend friends people person"
_NOT_NOUNS = """
and or to of in on at for from with by as is are was were a an the that than this these those per each more less so if
it you your we i they he she but which who then when while not least most out off up
"""
NUMBERS = tuple(_NUMBERS.split())
"""From zero on."""
TENS = tuple(_TENS.split())
"""From twenty on."""
MONTHS = tuple(_MONTHS.split())
WEEKDAYS = tuple(_WEEKDAYS.split())
GENERAL = frozenset(_GENERAL.split())
"""Words that stand in sentences about anything."""
TELLING = frozenset(_TELLING.split())
"""Those of them that tell one slot of a thing from another: when it opens, and when it closes."""
OPPOSED = frozenset(_OPPOSED.split())
"""Words that make another thing of the same kind."""
FILLERS = frozenset(_FILLERS.split())
"""Words of whoever speaks, and of praise, which are about nothing."""
TITLES = frozenset(_TITLES.split())
PARTICLES = frozenset(_PARTICLES.split())
"""Small words within a name."""
PLACES = frozenset(_PLACES.split())
"""Prepositions before a name that make a slot: "in Bern", "by Ursula"."""
INSTITUTIONS = frozenset(_INSTITUTIONS.split())
"""Words of names of offices and help lines: that these exist is common knowledge, and no claim about the user."""
NOT_ROLES = frozenset(_NOT_ROLES.split())
"""Words before a name that do not say who bears it; of friends there are many."""
NOT_NOUNS = frozenset(_NOT_NOUNS.split())
"""Words behind a number that are not what is counted."""
