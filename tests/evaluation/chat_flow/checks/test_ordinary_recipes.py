"""Recipes as cookbooks and language models write them raise no alarm: other wordings than those of the sample."""

import pytest

from evaluation.records import Json
from tests.evaluation.chat_flow.made import flow, outcomes

RECIPES: list[tuple[str, list[str], int, list[str]]] = [
    (
        "Shakshuka",
        [
            "4 large eggs",
            "1 can (400 g) crushed tomatoes",
            "1 red bell pepper, diced",
            "1 onion, finely chopped",
            "2 cloves garlic, minced",
            "1 tsp ground cumin",
            "1 tsp paprika",
            "2 tbsp olive oil",
            "Salt and pepper to taste",
            "Fresh parsley for garnish",
        ],
        25,
        [
            "Heat the olive oil in a skillet over medium heat.",
            "Sauté the onion and bell pepper for 5 minutes until soft. Add garlic, cumin, paprika; cook for 1 minute.",
            "Pour in the tomatoes, season, and simmer for 10 minutes.",
            "Make 4 wells in the sauce and crack an egg into each. Cover and cook 5-7 minutes until the whites set.",
            "Sprinkle with parsley and serve with crusty bread.",
        ],
    ),
    (
        "Chicken tikka",
        [
            "500g chicken thighs",
            "150g Greek yogurt",
            "2 tbsp lemon juice",
            "1 tbsp garam masala",
            "1 tsp turmeric",
            "2 cm ginger",
            "basmati rice",
        ],
        45,
        [
            "Mix yogurt, lemon, garam masala, turmeric and grated ginger.",
            "Cut the chicken into chunks and coat in the marinade for 15 minutes.",
            "Meanwhile, cook the rice according to the packet, about 12 minutes.",
            "Grill the chicken for 8 minutes per side until charred.",
            "Serve over rice with a squeeze of lemon.",
        ],
    ),
    (
        "Pancakes",
        [
            "1 1/2 cups all-purpose flour",
            "1 tbsp sugar",
            "1 1/4 cups milk",
            "1 egg",
            "3 tbsp butter, melted",
            "2 tsp baking powder",
            "maple syrup, to serve",
        ],
        20,
        [
            "Whisk the dry ingredients together.",
            "Beat the milk, egg and melted butter, then stir into the flour mixture until just combined.",
            "Let the batter rest for 5 minutes.",
            "Heat a nonstick pan and pour 1/4 cup batter per pancake. Cook 2 minutes on each side.",
            "Stack and drizzle with syrup.",
        ],
    ),
    (
        "Lentil bolognese",
        [
            "200 g dried brown lentils",
            "2 carrots",
            "2 celery sticks",
            "1 onion",
            "3 garlic cloves",
            "2 tbsp tomato paste",
            "400 g tin chopped tomatoes",
            "300 g spaghetti",
            "1 bay leaf",
        ],
        40,
        [
            "Finely dice the vegetables.",
            "Fry the soffritto for 8 minutes.",
            "Stir in the tomato paste, lentils, tinned tomatoes, bay leaf and 500 ml of hot water or stock.",
            "Simmer for 25 minutes. In the last 10 minutes, cook the pasta in boiling salted water.",
            "Drain, reserving a cup of pasta water, and toss everything together.",
            "Top with vegan parmesan if you like.",
        ],
    ),
    (
        "Miso salmon",
        [
            "2 salmon fillets (150 g each)",
            "1 tbsp white miso",
            "1 tbsp soy sauce",
            "1 tsp honey",
            "1 tsp sesame oil",
            "200 g green beans",
            "1 spring onion",
        ],
        20,
        [
            "Preheat the oven to 200°C (400°F).",
            "Whisk miso, soy, honey and sesame oil; brush over the fish.",
            "Roast for 12 minutes, or until it flakes.",
            "Steam the beans for 4 minutes.",
            "Scatter over the sliced scallion.",
        ],
    ),
    (
        "Greek salad",
        [
            "3 ripe tomatoes",
            "1 cucumber",
            "1/2 red onion",
            "100 g feta",
            "a handful of kalamata olives",
            "2 tbsp extra virgin olive oil",
            "1 tsp dried oregano",
        ],
        10,
        [
            "Chop the tomatoes and cucumber into chunks.",
            "Thinly slice the onion.",
            "Toss with the olives, crumble the cheese on top.",
            "Dress with oil and oregano. Eat at once.",
        ],
    ),
    (
        "Fried rice",
        [
            "300 g cooked rice",
            "2 eggs",
            "100 g frozen peas",
            "1 carrot",
            "2 spring onions",
            "1 tbsp tamari",
            "1 tbsp neutral oil",
        ],
        15,
        [
            "Beat the eggs and scramble them in half the oil, then set aside.",
            "Stir-fry carrot and peas for 3 minutes.",
            "Add the rice, pressing it against the wok, for 4 minutes.",
            "Return the egg, splash in the tamari and spring onions, and toss.",
        ],
    ),
    (
        "Overnight oats",
        ["80 g rolled oats", "200 ml almond milk", "1 tbsp chia seeds", "1 banana", "cinnamon"],
        480,
        [
            "Stir oats, milk, chia and cinnamon together in a jar.",
            "Chill overnight.",
            "Top with sliced banana in the morning.",
        ],
    ),
    (
        "Beef stew",
        [
            "800 g beef chuck",
            "4 carrots",
            "3 potatoes",
            "2 onions",
            "500 ml beef stock",
            "2 tbsp flour",
            "1 tbsp tomato purée",
            "thyme",
        ],
        150,
        [
            "Pat the meat dry, dust with flour and brown in batches, about 10 minutes.",
            "Soften the onions, 5 min.",
            "Add the stock, purée and thyme; cover and braise 1 hour 30 minutes.",
            "Add the carrots and potatoes and cook 40 minutes more.",
            "Rest 5 minutes before serving.",
        ],
    ),
    (
        "Tofu tacos",
        [
            "280 g firm tofu",
            "8 corn tortillas",
            "1 avocado",
            "1 lime",
            "2 tsp chili powder",
            "1/4 red cabbage",
            "coriander",
        ],
        25,
        [
            "Press the tofu for 5 minutes, then crumble.",
            "Fry with the chili powder until crisp, 8 minutes.",
            "Shred the cabbage and dress with half the lime juice.",
            "Warm the tortillas 30 seconds per side.",
            "Mash the avocado into guacamole. Fill the tacos with everything and finish with cilantro.",
        ],
    ),
    (
        "Caprese pasta",
        [
            "250 g penne",
            "200 g cherry tomatoes",
            "125 g mozzarella",
            "basil leaves",
            "2 tbsp olive oil",
            "1 garlic clove",
        ],
        20,
        [
            "Cook the pasta in salted water for 11 minutes.",
            "While it cooks, halve the tomatoes and warm them with the garlic in the oil for 6 minutes.",
            "Drain, toss with the sauce, torn mozzarella and basil.",
        ],
    ),
    (
        "Banana bread",
        [
            "3 ripe bananas",
            "75 g melted butter",
            "150 g sugar",
            "1 egg",
            "1 tsp vanilla extract",
            "1 tsp baking soda",
            "190 g flour",
            "a pinch of salt",
        ],
        70,
        [
            "Heat the oven to 175 °C and grease a loaf tin with butter.",
            "Mash the bananas, mix in the butter, sugar, egg and vanilla.",
            "Fold in the flour, soda and salt.",
            "Bake for 50 to 60 minutes until a toothpick comes out clean.",
            "Cool in the tin for 10 minutes, then on a rack.",
        ],
    ),
    (
        "Chili sin carne",
        [
            "1 tin kidney beans",
            "1 tin black beans",
            "1 tin sweetcorn",
            "1 red pepper",
            "1 onion",
            "400 g passata",
            "2 tsp chilli flakes",
            "1 square dark chocolate",
        ],
        35,
        [
            "Fry the onion and pepper for 6 minutes.",
            "Add the chilli flakes, passata, drained beans and corn.",
            "Simmer for 20 minutes, then melt in the chocolate.",
            "Ladle into bowls with rice, sour cream or tortilla chips on the side.",
        ],
    ),
    (
        "Garlic prawns linguine",
        [
            "200 g linguine",
            "250 g raw prawns",
            "4 cloves garlic",
            "1/2 tsp red pepper flakes",
            "30 g butter",
            "juice of 1 lemon",
            "parsley",
        ],
        15,
        [
            "Boil the linguine until al dente, about 9 minutes.",
            "Melt the butter, add garlic and pepper flakes for 1 minute, then the shrimp, 2 minutes each side.",
            "Toss the noodles with the prawns, lemon juice and a ladle of cooking water.",
            "Scatter with parsley.",
        ],
    ),
    (
        "Gnocchi with sage",
        ["500 g gnocchi", "60 g butter", "12 sage leaves", "40 g parmesan"],
        12,
        [
            "Boil the gnocchi until they float, 3 minutes.",
            "Brown the butter with the sage, about 4 minutes.",
            "Toss the dumplings in the sage butter and grate over the cheese.",
        ],
    ),
    (
        "Frittata",
        ["6 eggs", "1 courgette", "100 g goat's cheese", "small bunch of mint", "1 tbsp oil"],
        20,
        [
            "Slice the zucchini and fry it for 5 minutes.",
            "Whisk the eggs with mint, pour over, dot with the goat cheese.",
            "Cook gently for 8 minutes, then grill for 2 minutes.",
        ],
    ),
    (
        "Poke bowl",
        [
            "200 g sushi rice",
            "200 g sushi-grade tuna",
            "1 avocado",
            "1 sheet nori",
            "2 tbsp soy sauce",
            "1 tsp sesame seeds",
            "edamame",
        ],
        30,
        [
            "Cook the rice and let it cool.",
            "Cube the fish and marinate it in the soy sauce for 10 minutes.",
            "Arrange tuna, avocado and edamame on the rice.",
            "Finish with sesame and strips of seaweed.",
        ],
    ),
]
"""Title, ingredients, minutes, steps."""
HELD_TO = (
    *("steps_use_ingredients", "step_times", "no_placeholders", "consistency", "no_leak", "no_strangers_data"),
    *("schema", "steps_present"),
)


def recipe_of(title: str, ingredients: list[str], minutes: int, steps: list[str]) -> dict[str, Json]:
    return {"title": title, "ingredients": ingredients, "time_minutes": minutes, "steps": steps}


@pytest.mark.parametrize("written", RECIPES, ids=[title for title, *_ in RECIPES])
def test_an_ordinary_recipe_is_sound(written: tuple[str, list[str], int, list[str]]) -> None:
    option = recipe_of(*written)
    found = outcomes(flow(options=(option,), selected=option, case={}))
    assert {name: found[name].evidence for name in HELD_TO if found[name].ending == "failed"} == {}


def test_they_are_no_near_duplicates_of_one_another() -> None:
    options = tuple(recipe_of(*written) for written in RECIPES)
    assert outcomes(flow(options=options, selected=options[0], case={}))["near_duplicates"].ending == "passed"
