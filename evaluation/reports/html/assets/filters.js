// Which rows are shown, and in which order.
const LEAST_CHANGE = 0.0005;
const FLAGS = {
  "": ["Everything", () => true],
  failed: ["Failed or not scored", (row) => some(row, (side) => side.s !== "scored")],
  ...(compared ? {
    lost: ["Lower than before", (row, look) => look.change(row) !== null && look.change(row) < -LEAST_CHANGE],
    gained: ["Higher than before", (row, look) => look.change(row) !== null && look.change(row) > LEAST_CHANGE],
  } : {}),
  injection: ["May be addressing the judge", (row) => some(row, (side) => side.j?.injection)],
  review: ["Verdict to be reviewed", (row) => some(row, (side) => side.j?.review.length)],
  moderated: ["Flagged by moderation", (row) => some(row, (side) => side.o)],
  cut: ["Did not end by itself", (row) => some(row, (side) => side.m && side.m.finish !== "stop")],
  conversation: ["With earlier conversation", (row) => some(row, (side) => side.c)],
  error: ["With an error", (row) => some(row, (side) => side.e)],
  ...JUDGED,
  ...(data.items.length ? {
    critical: ["Critical expectation fails", (row) => answers(row, (item, outcome) => item[3] && outcome === "f").length],
    fails: ["An expectation fails", (row) => answers(row, (item, outcome) => outcome === "f").length],
    unshown: ["An expectation is not shown", (row) => answers(row, (item, outcome) => outcome === "n").length],
  } : {}),
};
const openItem = (item, outcome) => outcome !== "h";
const missingLast = (pick, sign) => (a, b) => {
  const [x, y] = [pick(a), pick(b)];
  if (x === null || y === null) return (x === null) - (y === null) || a.order - b.order;
  return sign * (x - y) || a.order - b.order;
};
// Each order makes of what is looked at how two rows compare.
const SORTS = {
  ...(compared ? {
    loss: ["Largest loss first", (look) => missingLast(look.change, 1)],
    gain: ["Largest gain first", (look) => missingLast(look.change, -1)],
  } : {}),
  low: ["Lowest overall first", () => missingLast((row) => row.overall, 1)],
  high: ["Highest overall first", () => missingLast((row) => row.overall, -1)],
  ...(compared ? {} : { gap: ["Widest disagreement first", () => missingLast((row) => row.gap, -1)] }),
  metric: ["Chosen metric, lowest first", (look) => missingLast(look.value, 1)],
  plan: ["In the order of the plan", () => (a, b) => a.order - b.order],
  id: ["By scenario", () => (a, b) => collator.compare(a.scenario.id, b.scenario.id) || a.order - b.order],
  ...SHUFFLED,
  slow: ["Slowest first", () => missingLast((row) => row.lead.m?.ms ?? null, -1)],
  long: ["Longest response first", () => missingLast((row) => text(row.lead.r).length, -1)],
};

const options = (id, values) => at(id).append(...values.map(([value, title]) => new Option(title, value)));
const distinctOf = (values) => [...new Set(values)].filter(Boolean).sort(collator.compare);
const distinct = (pick) => distinctOf(rows.flatMap(pick));
const fillControls = () => {
  options("f-sort", Object.entries(SORTS).map(([key, [title]]) => [key, title]));
  options("f-flag", Object.entries(FLAGS).map(([key, [title]]) => [key, title]));
  for (const [id, pick] of [
    ["f-category", (row) => row.scenario.category], ["f-audience", (row) => row.scenario.audience],
    ["f-tag", (row) => row.scenario.tags], ["f-state", (row) => row.sides.filter(Boolean).map((side) => side.s)],
  ]) options(id, [["", "All"], ...distinct(pick).map((value) => [value, words(value)])]);
  const open = rows.flatMap((row) => [...new Set(answers(row, openItem).map(([item]) => item[0]))]);
  options("f-item", [["", "All"], ...distinctOf(open).map((id) => [id, line(id) + " (" + open.filter((each) => each === id).length + ")"])]);
  at("of-item").hidden = !open.length;
  const metrics = Object.entries(data.columns).flatMap(([source, names]) => names.map((name) => [source, name]));
  options("f-metric", [["", "All (a range is of " + words(data.overall) + ")"], ...metrics.map((pair) => [pair.join("/"), named(...pair)])]);
  // Of two runs the second is always held against the first.
  const versions = data.sides.length < 3 ? [] : data.sides.map((side, place) => [String(place + 1), line(side.name)]);
  for (const label of document.querySelectorAll(".of-sides")) label.hidden = !versions.length;
  for (const id of ["f-side", "f-base"]) options(id, [["", id === "f-side" ? "All" : "None"], ...versions]);
};
const named = (source, metric) => words(metric) + " (" + source + ")";

// The filters by name, as the address has them; what is chosen is their values.
const NAMES = ["text", "category", "audience", "tag", "state", "flag", "item", "metric", "low", "high", "below", "gap", "side", "base", "sort"];
const control = (name) => at("f-" + name);
const untouched = (name) => (name === "sort" ? control(name).options[0].value : "");
const chosen = () => Object.fromEntries(NAMES.map((name) => [name, control(name).value]));
const set = (given) => {
  for (const [name, value] of Object.entries(given)) control(name).value = value;
};
const NOTHING = Object.fromEntries(NAMES.map((name) => [name, ""]));
const clear = () => set(Object.fromEntries(NAMES.map((name) => [name, untouched(name)])));
const bound = (value) => (value === "" ? null : Number(value));

// What is looked at: the chosen metric of the chosen runs, else what decides. `picked` rows alone are shown then.
const looking = ({ metric, side, base }) => {
  const cut = metric.indexOf("/");
  const [source, name] = metric ? [metric.slice(0, cut), metric.slice(cut + 1)] : [data.source, data.overall];
  if (!metric && !side) return { picked: false, source, name, value: (row) => row.overall, change: (row) => row.change };
  const places = side ? (base ? [base, side] : [side]).map((number_) => number_ - 1) : data.sides.map((_, place) => place);
  const values = (row) => places.map((place) => valueOf(row.sides[place], source, name));
  const known = (row) => !values(row).includes(null);
  return {
    picked: true, source, name, known,
    value: (row) => (known(row) ? values(row).at(-1) : null),
    change: (row) => (places.length > 1 && known(row) ? values(row).at(-1) - values(row)[0] : null),
  };
};
const wanted = (given) => {
  const { category, audience, tag, state, item: id } = given;
  const terms = given.text.toLowerCase().split(/\s+/).filter(Boolean);
  const flag = FLAGS[given.flag][1];
  const [low, high, below, gap] = [given.low, given.high, given.below, given.gap].map(bound);
  const ranged = low !== null || high !== null || below !== null;
  const look = looking(given);
  const apart = (row) => (compared ? look.change(row) : row.gap);
  return (row) => {
    if (category && row.scenario.category !== category) return false;
    if (audience && row.scenario.audience !== audience) return false;
    if (tag && !row.scenario.tags.includes(tag)) return false;
    if (state && !some(row, (side) => side.s === state)) return false;
    if (id && !answers(row, openItem).some(([item]) => item[0] === id)) return false;
    if (look.picked && !look.known(row)) return false;
    if (gap !== null && !(apart(row) !== null && Math.abs(apart(row)) >= gap - 1e-9)) return false;
    if (ranged) {
      const value = look.value(row);
      if (value === null || (low !== null && value < low - 1e-9) || (high !== null && value > high + 1e-9)) return false;
      if (below !== null && value >= below - 1e-9) return false;
    }
    return flag(row, look) && (!terms.length || terms.every((term) => searchable(row).includes(term)));
  };
};
