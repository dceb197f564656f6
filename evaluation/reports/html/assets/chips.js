// Chips above the list: what is worth a look, one click away, and the filters that are on.
const MOST_TAGS = 4;
const MOST_AUDIENCES = 2;
const LONGEST = 32;
const WORTH_A_LOOK = "0.1";
// The values of the most scenarios, and of more than one.
const frequent = (values, most) => {
  const counts = new Map();
  for (const value of values.filter(Boolean)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).sort((a, b) => b[1] - a[1]).slice(0, most).map(([value]) => value);
};
// Each chip: its words, and the filters that it sets.
const CHIPS = [
  ["Failed or not scored", { flag: "failed" }],
  ...(data.items.length ? [["Critical", { flag: "critical" }]] : []),
  ...(compared
    ? [["Biggest loss", { flag: "lost", sort: "loss" }], ["Biggest gain", { flag: "gained", sort: "gain" }]]
    : [["Judge against rules", { gap: WORTH_A_LOOK, sort: "gap" }]]),
  ["To review", { flag: "review" }],
  ...frequent(data.scenarios.flatMap((scenario) => scenario.tags), MOST_TAGS).map((tag) => [words(tag.slice(0, LONGEST)), { tag }]),
  ...frequent(data.scenarios.map((scenario) => scenario.audience), MOST_AUDIENCES).map((audience) => [line(audience, LONGEST), { audience }]),
].map(([title, sets]) => ({ title, sets, button: null, count: null }));

const isOn = (chip, given) => Object.entries(chip.sets).every(([name, value]) => given[name] === value);
// One step of the reader, which the back button takes back.
const step = (change) => {
  writeAddress();
  change();
  refresh();
  pushAddress();
};
const toggle = (chip) => step(() => {
  const off = isOn(chip, chosen());
  set(Object.fromEntries(Object.entries(chip.sets).map(([name, value]) => [name, off ? untouched(name) : value])));
});
const fillChips = () => {
  for (const chip of CHIPS) {
    chip.count = make("span", "count");
    chip.button = make("button", "chip", chip.title + " ", chip.count);
    chip.button.type = "button";
    chip.button.addEventListener("click", () => toggle(chip));
  }
  at("chips").append(make("span", "active"), ...CHIPS.map((chip) => chip.button));
};
// Filters that make one statement together, and how it is put.
const range = ({ low, high, below }) => [low && "from " + low, high && "to " + high, below && "below " + below].filter(Boolean).join(" ");
const PARTS = [
  [["category"], ({ category }) => words(category)],
  [["audience"], ({ audience }) => line(audience, 40)],
  [["tag"], ({ tag }) => words(tag)],
  [["state"], ({ state }) => words(state)],
  [["flag"], ({ flag }) => FLAGS[flag][0]],
  [["item"], ({ item }) => "unmet: " + line(item, 40)],
  [["metric", "low", "high", "below"], (given) => (named(look.source, look.name) + " " + range(given)).trim()],
  [["side", "base"], ({ side, base }) => [side, base].filter(Boolean).map((place) => line(data.sides[place - 1].name)).join(" minus ")],
  [["gap"], ({ gap }) => (compared ? "difference" : "disagreement") + " at least " + gap],
];
const active = (given) => {
  const covered = CHIPS.filter((chip) => isOn(chip, given)).flatMap((chip) => Object.keys(chip.sets));
  return PARTS.filter(([names]) => names.some((name) => given[name] && !covered.includes(name))).map(([names, say]) => {
    const button = make("button", "chip on", say(given) + " ", make("span", "x", "×"));
    button.type = "button";
    button.setAttribute("aria-label", "Remove the filter: " + say(given));
    button.addEventListener("click", () => {
      step(() => set(Object.fromEntries(names.map((name) => [name, untouched(name)]))));
      at("list").focus({ preventScroll: true });
    });
    return button;
  });
};
// The counts are of the rows that a click would show, beside the other filters.
const showChips = (given) => {
  const base = given.text ? rows.filter(wanted({ ...NOTHING, text: given.text })) : rows;
  for (const chip of CHIPS) {
    const on = isOn(chip, given);
    const count = base.filter(wanted({ ...given, ...chip.sets, text: "" })).length;
    chip.count.textContent = count.toLocaleString("en");
    chip.button.setAttribute("aria-pressed", String(on));
    chip.button.hidden = !count && !on;
  }
  at("chips").firstChild.replaceChildren(...active(given));
};
