"""The word lists read an ingredient: what it holds and, above all, what it does not. Worked by hand."""

from evaluation.food.reading import mentions, read_line
from tests.evaluation.chat_flow.made import lexicon

WATCHED = frozenset(
    {
        "meat",
        "pork",
        "beef",
        "fish",
        "shellfish",
        "gelatin",
        "rennet",
        "dairy",
        "egg",
        "honey",
        "gluten",
        "nut",
        "peanut",
    }
    | {"soy", "sesame", "mustard", "celery", "alcohol"}
)
"""Tags that the rows give in full; `lactose`, `wheat`, `crustacean` and `not-kosher` are distinguished elsewhere."""

HOLDS = {
    # plain
    "200 g chicken breast": "meat",
    "4 boneless chicken thighs, skin on": "meat",
    "1 lb ground beef": "meat beef",
    "2 pork chops": "meat pork",
    "6 rashers streaky bacon": "meat pork",
    "100 g prosciutto": "meat pork",
    "turkey bacon": "meat",
    "beef sausages": "meat beef",
    "salmon fillets": "fish",
    "2 anchovies": "fish",
    "Worcestershire sauce": "fish",
    "1 tbsp fish sauce": "fish",
    "prawns, peeled": "shellfish",
    "oyster sauce": "shellfish gluten",
    "3 eggs": "egg",
    "egg whites": "egg",
    "1 cup milk": "dairy",
    "buttermilk": "dairy",
    "unsalted butter": "dairy",
    "ghee": "dairy",
    "Greek yoghurt": "dairy",
    "crème fraîche": "dairy",
    "goats' cheese": "dairy",
    "grated Parmesan": "dairy rennet",
    "honey": "honey",
    "gelatine leaves": "gelatin",
    "marshmallows": "gelatin",
    "all-purpose flour": "gluten",
    "spaghetti": "gluten",
    "egg noodles": "egg gluten",
    "panko breadcrumbs": "gluten",
    "couscous": "gluten",
    "pearl barley": "gluten",
    "soy sauce": "soy gluten",
    "hoisin sauce": "soy gluten",
    "tamari": "soy",
    "firm tofu": "soy",
    "miso paste": "soy",
    "walnuts, chopped": "nut",
    "pine nuts": "",
    "almond flour": "nut",
    "marzipan": "nut",
    "basil pesto": "nut dairy rennet",
    "roasted peanuts": "peanut",
    "satay sauce": "peanut",
    "toasted sesame oil": "sesame",
    "hummus": "sesame",
    "tahini": "sesame",
    "Dijon mustard": "mustard",
    "mayonnaise": "egg",
    "2 celery stalks": "celery",
    "vegetable stock cube": "celery",
    "dry white wine": "alcohol",
    "mirin": "alcohol",
    "1 bottle of beer": "gluten alcohol",
    "lard": "meat pork",
    "chicken stock": "meat",
    "chicken broth": "meat",
    # look-alikes
    "butternut squash": "",
    "butter beans": "",
    "butter lettuce": "",
    "peanut butter": "peanut",
    "almond butter": "nut",
    "apple butter": "",
    "cocoa butter": "",
    "coconut milk": "",
    "coconut cream": "",
    "coconut yogurt": "",
    "oat milk": "gluten",
    "almond milk": "nut",
    "soy milk": "soy",
    "rice milk": "",
    "cream of tartar": "",
    "creamed coconut": "",
    "creamed corn": "",
    "eggplant": "",
    "2 large eggplants": "",
    "egg replacer": "",
    "nutmeg": "",
    "nutritional yeast": "",
    "doughnuts": "gluten",
    "coconut": "",
    "water chestnuts": "",
    "chestnut mushrooms": "",
    "oyster mushrooms": "",
    "king oyster mushroom": "",
    "chicken of the woods": "",
    "beef tomatoes": "",
    "kidney beans": "",
    "scalloped potatoes": "dairy",
    "honeydew melon": "",
    "mustard greens": "mustard",
    "buckwheat": "",
    "buckwheat flour": "",
    "rice flour": "",
    "cornflour": "",
    "chickpea flour": "",
    "corn tortillas": "",
    "flour tortillas": "gluten",
    "tortilla chips": "",
    "rice noodles": "",
    "rice paper wrappers": "",
    "cauliflower rice": "",
    "cauliflower steaks": "",
    "rice vinegar": "",
    "red wine vinegar": "",
    "apple cider vinegar": "",
    "ginger beer": "",
    "root beer": "",
    "malt vinegar": "gluten",
    "kosher salt": "",
    "celeriac": "celery",
    "grapefruit": "",
    "lemongrass": "",
    "sweet potatoes": "",
    "dark chocolate": "",
    "milk chocolate": "dairy",
    "cocoa powder": "",
    "hamburger buns": "gluten",
    "crab apples": "",
    "lamb's lettuce": "",
    "almond milk yogurt": "nut",
    "coconut milk yogurt": "",
    "impossible burger": "soy",
    "coconut bacon": "",
    "tofu bacon": "soy",
    "seitan sausages": "gluten",
    "chicken seasoning": "",
    "meatballs": "meat",
    "veggie burger": "",
    "bread and butter pickles": "",
    # taken back
    "gluten-free flour": "",
    "flour (gluten-free)": "",
    "plain flour, gluten free": "",
    "GF pasta": "",
    "gluten-free soy sauce": "soy",
    "vegan butter": "",
    "vegan mayo": "",
    "vegan parmesan": "",
    "plant-based sausages": "",
    "vegetarian sausages": "",
    "veggie bacon": "",
    "vegetarian gelatin": "",
    "dairy-free cheese": "",
    "non-dairy milk": "",
    "non-dairy creamer": "",
    "dairy-free yogurt": "",
    "egg-free mayonnaise": "",
    "nut-free pesto": "dairy rennet",
    "alcohol-free beer": "gluten",
    "non-alcoholic wine": "",
    "chicken-free nuggets": "gluten",
    "chicken-style pieces": "",
    "pasta without egg": "gluten",
    "curry paste (no shrimp)": "",
    "oil instead of butter": "",
    "olive oil (not butter)": "",
    "vegetables, no meat": "",
    "stew without beef": "",
    "cheese substitute": "",
    "fat-free milk": "dairy",
    "lactose-free milk": "dairy",
    "sugar-free honey": "honey",
    # a modifier reaches no further than its own ingredient
    "vegan butter, 200 g chicken": "meat",
    "butter or vegan margarine": "dairy",
    "gluten-free oats and wheat flour": "gluten",
    "no onions; chicken": "meat",
    "chicken, cut into bite-sized pieces": "meat",
    "chicken in finger-sized strips": "meat",
    # other languages and scripts
    "300 g Hähnchenbrust": "meat",
    "HÄHNCHENBRUST": "meat",
    "2 Eier": "egg",
    "100 ml Sahne": "dairy",
    "Kokosmilch": "",
    "Erdnüsse": "peanut",
    "glutenfreies Mehl": "",
    "Weizenmehl": "gluten",
    "Schinken": "meat pork",
    "2 œufs": "egg",
    "crème": "dairy",
    "farine sans gluten": "",
    "lait de coco": "",
    "noix de cajou": "nut",
    "noix de muscade": "",
    "jamón serrano": "meat pork",
    "gambas": "shellfish",
    "mantequilla de cacahuete": "peanut",
    "harina": "gluten",
    "leche de almendras": "nut",
    "burro": "dairy",
    "prosciutto crudo": "meat pork",
    "latte di cocco": "",
    "uova": "egg",
    "牛乳": "dairy",
    "豆乳": "soy",
    "牛肉": "meat beef",
    "鶏むね肉 300g": "meat",
    "醤油": "soy gluten",
    # nothing that the lists know
    "": "",
    "2 tbsp": "",
    "yuzu kosho": "",
    "love": "",
}


def test_what_an_ingredient_holds() -> None:
    for text in HOLDS:
        held = frozenset[str]().union(*(mention.tags for mention in mentions(text, lexicon())))
        assert held & WATCHED == set(HOLDS[text].split()), text


def test_which_foods_are_named() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("salt and pepper", ["salt", "pepper"]),
        ("2 red peppers", ["bell pepper"]),
        ("chicken, rice & garlic", ["chicken", "rice", "garlic"]),
        ("goats' cheese", ["goat cheese"]),
        ("rice/quinoa", ["rice", "quinoa"]),
        ("chicken stock", ["chicken stock"]),
        ("green beans and black beans", ["green bean", "bean"]),
        ("玉ねぎと鶏肉", ["onion", "chicken"]),
        ("chickens", ["chicken"]),
        ("chickenpox", []),
        ("unbuttered", []),
    ]
    for text, foods in cases:
        assert [mention.food for mention in mentions(text, lexicon())] == foods, (text, foods)


def test_a_word_that_says_for_whom_takes_nothing_back() -> None:
    """A wrong "clear" is the worst: each of these holds what the note seems to take back, or may."""
    cases = {
        "1 cup milk (use oat milk for vegan)": "dairy",
        "soy sauce (use tamari for gluten free)": "gluten",
        "flour (not gluten-free)": "gluten",
        "flour - for gluten-free see notes": "gluten",
        "spaghetti (if gluten-free, use rice noodles)": "gluten",
        "bread crumbs (gluten-free if needed)": "gluten",
        "yogurt (non-dairy or regular)": "dairy",
        "any milk (dairy-free or not)": "dairy",
        "chicken instead of pork": "meat",
        "jambon sans couenne": "meat",
        "in place of oil butter": "dairy",
        "something like peanuts": "peanut",
        "contains: milk, soy": "dairy",
        "2eggs and 1 apple": "egg",
        "To serve: parmesan": "dairy",
        "For garnish chopped peanuts": "peanut",
        "For the sauce: peanuts": "peanut",
    }
    for text, tag in cases.items():
        read = read_line(text, lexicon()).mentions
        assert any(tag in each.tags | each.may for each in read), text


def test_what_a_note_or_a_comparison_does_take_back() -> None:
    cases = {
        "use gluten-free flour for dusting": "gluten",
        "noodles, gluten-free, for serving": "gluten",
        "milk, dairy-free or oat milk": "dairy",
        "if you have it, vegan butter": "dairy",
        "pasta without egg": "egg",
        "hearts of palm, shredded like crab": "crustacean",
        "rice without milk, butter or cheese": "dairy",
    }
    for text, tag in cases.items():
        assert not any(tag in each.tags | each.may for each in read_line(text, lexicon()).mentions), text


def test_headings() -> None:
    for text in ("For the peanut sauce", "For the chicken", "Für die Soße:", "Topping:", "Pour la sauce", "For", "zum"):
        assert read_line(text, lexicon()).is_heading, text
    for text in ("For serving: parmesan", "zum Garnieren Erdnüsse", "Für die Form: Butter", "Para servir: queso"):
        assert not read_line(text, lexicon()).is_heading, text


def test_milk_comma_soy_may_be_a_list_and_two_cups_of_it_is_one_food() -> None:
    assert [each.food for each in read_line("milk, soy", lexicon()).mentions] == ["milk", "soy"]
    assert [each.food for each in read_line("2 cups milk, soy", lexicon()).mentions] == ["soy milk"]


def test_what_the_cook_may_choose_is_not_known() -> None:
    for text in ("200 ml milk of choice", "milk of your choice"):
        reading = read_line(text, lexicon())
        assert not reading.is_recognised and "dairy" in reading.mentions[0].tags, text
