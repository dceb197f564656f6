// The rows of the page's data: one for each exchange, with a side for each run.
const rows = data.rows.map(([place, repeat, turn, sides], order) => {
  const lead = sides.findLast((side) => side !== null);
  const first = sides[0];
  const known = sides.every((side) => side && typeof side.d === "number");
  const change = compared && known ? sides.at(-1).d - first.d : null;
  return {
    order, repeat, turn, sides, lead, change,
    scenario: data.scenarios[place],
    overall: lead.d ?? null,
    gap: compared ? (change === null ? null : Math.abs(change)) : lead.g ?? null,
    key: [place, repeat, turn].join("/"),
  };
});
const callsOf = (side) => (side.t ?? []).map(([name, given]) => "calls " + name + " " + text(given));
const searchable = (row) => {
  row.haystack ??= [
    row.scenario.id, row.scenario.situation, ...answers(row, openItem).map(([item]) => item[0]),
    ...row.sides.filter(Boolean).flatMap((side) => [
      text(side.i), text(side.r), ...callsOf(side), side.j ? text(side.j.words) : "", side.e ? text(side.e.message) : "",
    ]),
  ].join("\n").toLowerCase();
  return row.haystack;
};
const some = (row, test) => row.sides.some((side) => side !== null && test(side));
// The answers to expectations in a row that pass a test, each as [item, outcome, ...].
const answersOf = (side) => (side?.k ?? []).map(([place, ...rest]) => [data.items[place], ...rest]);
const answers = (row, test) => row.sides.flatMap(answersOf).filter(([item, outcome]) => test(item, outcome));
// What the means count of one side: the value shown, unless the data say otherwise.
const valueOf = (side, source, metric) => {
  const counted = side?.u?.[source]?.[metric];
  if (counted !== undefined) return counted;
  const value = side?.v?.[source]?.[data.columns[source].indexOf(metric)];
  return typeof value === "number" && !side.n?.includes(metric) ? value : null;
};
