"""Words that English writes with a capital and that name no person: days, months, peoples, feasts, brands."""

_WORDS = """
monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
january february march april may june july august september october november december jan feb mar apr jun jul aug sep
sept oct nov dec mon tue wed thu fri sat sun english german french spanish italian dutch portuguese polish russian
ukrainian greek turkish arabic hebrew hindi urdu chinese japanese korean thai vietnamese indian pakistani american
british irish scottish welsh canadian australian mexican brazilian african european asian latin latino latina hispanic
swedish norwegian danish finnish swiss austrian belgian czech hungarian romanian bulgarian serbian croatian iranian
persian iraqi syrian israeli egyptian moroccan nigerian kenyan ghanaian filipino filipina indonesian malaysian cuban
colombian argentinian chilean peruvian mandarin cantonese tagalog swahili christian catholic protestant muslim islamic
jewish buddhist hindu atheist orthodox mormon sikh christmas easter thanksgiving halloween hanukkah ramadan eid diwali
valentine valentines xmas god lord jesus allah bible quran koran christianity islam judaism buddhism hinduism ai chatbot
siri alexa cortana gpt chatgpt openai anthropic gemini copilot llama google facebook instagram twitter tiktok youtube
netflix spotify amazon apple microsoft windows android iphone ipad mac macbook whatsapp snapchat discord reddit
wikipedia zoom uber airbnb paypal ebay linkedin tinder bumble hinge duolingo excel word outlook gmail python java
javascript linux covid corona internet wifi tv pc dvd cd usb id uk usa us eu nyc la dc un nasa fbi nhs ptsd adhd ocd
autism asperger alzheimer alzheimers parkinson parkinsons ok okay lol omg wtf idk tbh imo btw asap faq pm am mom mum dad
mommy mummy daddy grandma grandpa granny mother father uncle aunt auntie sir madam maam miss mister doctor professor
nurse officer captain coach pastor mr mrs ms dr prof hi hello hey thanks thank please sorry yes no yeah yep nope well
good great nice happy sad tired fine dear welcome i'm i'd i'll i've im ive ill it's that's what's let's don't can't user
assistant system human bot companion penpal friend everyone everybody anyone anybody someone somebody guys folks hola
ciao hallo bonjour haha hahaha ohh ugh aww xoxo mwah america europe africa asia germany france italy spain england
britain ireland scotland wales canada australia india china japan russia ukraine poland mexico brazil israel jew jews
muslims christians buddhists americans germans there again back here now today tonight tomorrow yesterday
"""
_PARTICLES = "van von der den de del della di da dos la le el al bin ibn bint ter ten zu af av mac mc o"
_ACTIONS = "said will may long tore till drew can guy king star don van per pat sue chase skip grant"
_NEVER_AFTER_A_CUE = """
crazy back later tomorrow today tonight now soon again when if at on in names stupid old fat a an the it what anything
whatever asap anytime about for immediately please maybe weird lazy selfish needy paranoid sick important unknown funny
common long short so very really too hard difficult
"""
NOT_NAMES = frozenset(_WORDS.split())
PARTICLES = frozenset(_PARTICLES.split())
"""Small words within a name."""
ACTIONS = frozenset(_ACTIONS.split())
"""Words of the list of given names that are likelier to be something else after "my brother" in small letters."""
NEVER_AFTER_A_CUE = frozenset(_NEVER_AFTER_A_CUE.split())
"""What follows "call me" and "my name is" and is no name."""
