// The matrix of scenarios by runs: a part for each category, whose rows are made when it is opened.
const MATRIX_OPEN = 150;
const cellsOf = ([, cells]) => cells.filter(Boolean).map(([value]) => value);
const aboutScenario = ([place]) => (typeof place === "number" ? data.scenarios[place] : { id: place[0], category: place[1] });
// The second run minus the first, where there are two and both have a value.
const matrixChange = ([, cells]) => (cells.length === 2 && cells.every(Boolean) ? cells[1][0] - cells[0][0] : null);
const MATRIX_SORTS = [
  ["lowest first", (row) => Math.min(...cellsOf(row))],
  ["furthest apart", (row) => Math.min(...cellsOf(row)) - Math.max(...cellsOf(row))],
  ...(data.sides.length === 2 ? [["largest loss first", (row) => matrixChange(row) ?? Infinity]] : []),
  ["as planned", () => 0],
  ...data.sides.map((side, place) => ["lowest of " + line(side.name, 40), ([, cells]) => cells[place]?.[0] ?? Infinity]),
];
// Of each scenario and run, the key of the response with the lowest overall.
const lowestResponses = () => {
  const found = new Map();
  for (const [scenario, repeat, turn, sides] of data.rows) {
    sides.forEach((side, place) => {
      const name = scenario + "/" + place;
      const value = side?.d ?? Infinity;
      if (side && !(found.get(name)?.value <= value)) found.set(name, { value, key: [scenario, repeat, turn].join("/") });
    });
  }
  return found;
};
const matrixCell = (cell, name, place, lowest, about) => {
  if (!cell) return make("td", "void", make("span", "none", "–"));
  const figure = number(cell[0]);
  const key = typeof place === "number" ? lowest.get(place + "/" + name)?.key : undefined;
  const inner = key ? make("a", "", figure) : make("span", "", figure);
  if (key) inner.href = "#r=" + key;
  inner.title = line(about.id) + ", " + line(data.sides[name].name, 60) + ": " + figure;
  return make("td", "h" + cell[1], inner);
};
const matrixRow = (row, lowest) => {
  const about = aboutScenario(row);
  const name = make("th", "", make("span", "", line(about.id)));
  name.scope = "row";
  name.title = line(about.id);
  const cells = row[1].map((cell, place) => matrixCell(cell, place, row[0], lowest, about));
  const change = matrixChange(row);
  if (cells.length === 2) cells.push(make("td", "change", change === null ? "" : signed(change)));
  return make("tr", "", name, ...cells);
};
const matrixHead = () => {
  const names = data.sides.map((side, place) => {
    const head = make("th", "", make("b", "", "#" + (place + 1)), make("span", "", line(side.name, 60)));
    head.scope = "col";
    head.title = line(side.name, 60);
    return head;
  });
  const first = make("th", "", "Scenario");
  first.scope = "col";
  if (names.length === 2) {
    const change = make("th", "", "Change");
    change.scope = "col";
    names.push(change);
  }
  return make("tr", "", first, ...names);
};
const matrixPart = (category, found, lowest, open) => {
  const table = make("table", "");
  const part = make("details", "", make("summary", "", words(category) + " ", make("small", "", found.length === 1 ? "1 scenario" : found.length + " scenarios")), table);
  const fill = () => {
    if (!part.open || table.rows.length) return;
    const head = make("thead", "sr", matrixHead());
    table.append(head, make("tbody", "", ...found.map((row) => matrixRow(row, lowest))));
  };
  part.addEventListener("toggle", fill);
  part.open = open;
  fill();
  return part;
};
const drawMatrix = (lowest) => {
  const [, of] = MATRIX_SORTS[at("matrix-sort").value];
  const parts = new Map();
  for (const row of data.matrix) {
    const { category } = aboutScenario(row);
    if (!parts.has(category)) parts.set(category, []);
    parts.get(category).push(row);
  }
  const box = at("matrix-box");
  const shut = new Set([...box.querySelectorAll("details:not([open])")].map((each) => each.dataset.category));
  const drawn = box.childElementCount > 0;
  const head = make("table", "matrix-head", make("thead", "", matrixHead()));
  head.setAttribute("aria-hidden", "true");
  let room = MATRIX_OPEN;
  const made = [...parts].map(([category, found]) => {
    found.sort((a, b) => of(a) - of(b));
    const open = drawn ? !shut.has(category) : room > 0;
    room -= found.length;
    const part = matrixPart(category, found, lowest, open);
    part.dataset.category = category;
    return part;
  });
  box.replaceChildren(head, ...made);
  const total = data.matrix.length.toLocaleString("en");
  at("matrix-status").textContent = total + (data.matrix.length === 1 ? " scenario" : " scenarios");
};
if (data.matrix?.length && at("matrix-box")) {
  at("matrix-sort").append(...MATRIX_SORTS.map(([title], place) => {
    const option = make("option", "", title);
    option.value = place;
    return option;
  }));
  at("matrix-key").append(...data.sides.map((side, place) => make("span", "", make("b", "", "#" + (place + 1)), " ", line(side.name))));
  const lowest = lowestResponses();
  at("matrix-sort").addEventListener("input", () => drawMatrix(lowest));
  at("matrix-parts").hidden = false;
  drawMatrix(lowest);
}
