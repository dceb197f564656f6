// Which rows are shown, and in which order.
const FLAGS = {
  "": ["Everything", () => true],
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
const chosenMetric = (row) => {
  const [source, metric] = JSON.parse(at("f-metric").value);
  return valueOf(row, source, metric);
};
const SORTS = {
  ...(compared ? {
    loss: ["Largest loss first", missingLast((row) => row.change, 1)],
    gain: ["Largest gain first", missingLast((row) => row.change, -1)],
  } : {}),
  low: ["Lowest overall first", missingLast((row) => row.overall, 1)],
  high: ["Highest overall first", missingLast((row) => row.overall, -1)],
  ...(compared ? {} : { gap: ["Widest disagreement first", missingLast((row) => row.gap, -1)] }),
  metric: ["Chosen metric, lowest first", missingLast((row) => chosenMetric(row), 1)],
  plan: ["In the order of the plan", (a, b) => a.order - b.order],
  id: ["By scenario", (a, b) => collator.compare(a.scenario.id, b.scenario.id) || a.order - b.order],
  ...SHUFFLED,
  slow: ["Slowest first", missingLast((row) => row.lead.m?.ms ?? null, -1)],
  long: ["Longest response first", missingLast((row) => text(row.lead.r).length, -1)],
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
  const pairs = Object.entries(data.columns).flatMap(([source, metrics]) => metrics.map((metric) => [source, metric]));
  options("f-metric", pairs.map((pair) => [JSON.stringify(pair), words(pair[1]) + " (" + pair[0] + ")"]));
  resetMetric();
};
const resetMetric = () => {
  at("f-metric").value = JSON.stringify([data.source, data.overall]);
};
const bound = (id) => (at(id).value === "" ? null : Number(at(id).value));

const wanted = () => {
  const terms = at("f-text").value.toLowerCase().split(/\s+/).filter(Boolean);
  const [category, audience, tag, state, id] = ["category", "audience", "tag", "state", "item"].map((name) => at("f-" + name).value);
  const flag = FLAGS[at("f-flag").value][1];
  const [low, high, gap] = ["low", "high", "gap"].map((name) => bound("f-" + name));
  return (row) => {
    if (category && row.scenario.category !== category) return false;
    if (audience && row.scenario.audience !== audience) return false;
    if (tag && !row.scenario.tags.includes(tag)) return false;
    if (state && !some(row, (side) => side.s === state)) return false;
    if (id && !answers(row, openItem).some(([item]) => item[0] === id)) return false;
    if (gap !== null && !(row.gap !== null && row.gap >= gap - 1e-9)) return false;
    if (low !== null || high !== null) {
      const value = chosenMetric(row);
      if (value === null || (low !== null && value < low - 1e-9) || (high !== null && value > high + 1e-9)) return false;
    }
    return flag(row) && (!terms.length || terms.every((term) => searchable(row).includes(term)));
  };
};
