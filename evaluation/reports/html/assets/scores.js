// The scores of a response, and how each came to be.
const scoreTable = (side) => {
  const sources = Object.keys(side.v ?? {});
  if (!sources.length) return make("p", "none", "Not scored.");
  const metrics = [...new Set(sources.flatMap((source) => data.columns[source]))];
  const head = make("tr", "", make("th", "", "Metric"), ...sources.map((source) => make("th", "num", source)));
  const body = metrics.map((metric) => {
    const idle = side.n?.includes(metric);
    const name = make("th", "", words(metric), idle ? make("small", "", " does not apply, not counted") : "");
    name.scope = "row";
    const cells = sources.map((source) => {
      const column = data.columns[source].indexOf(metric);
      return make("td", "num" + (idle ? " quiet" : ""), column < 0 ? "" : number(side.v[source][column]));
    });
    return make("tr", metric === data.overall ? "total" : "", name, ...cells);
  });
  return make("table", "scores", make("thead", "", head), make("tbody", "", ...body));
};
// One row per metric, one column per run; the other sources stand below in small.
const scoresBeside = (row) => {
  const others = Object.keys(data.columns).filter((source) => source !== data.source);
  const valueIn = (side, source, metric) => side?.v?.[source]?.[data.columns[source].indexOf(metric)] ?? null;
  const metrics = [...new Set(Object.values(data.columns).flat())];
  const two = row.sides.length === 2;
  const names = data.sides.map((side) => make("th", "num", line(side.name)));
  const head = make("tr", "", make("th", "", "Metric"), ...names, two ? make("th", "num", "Change") : null);
  const body = metrics.map((metric) => {
    const values = row.sides.map((side) => valueIn(side, data.source, metric));
    const cells = row.sides.map((side, place) => {
      const more = others.map((source) => [source, valueIn(side, source, metric)]).filter(([, value]) => value !== null);
      return make("td", "num", make("b", "", number(values[place])), ...more.map(([source, value]) => make("small", "", source + " " + number(value))));
    });
    const idle = row.sides.some((side) => side?.n?.includes(metric));
    const name = make("th", "", words(metric), idle ? make("small", "", " does not apply, not counted") : "");
    name.scope = "row";
    const change = !two || values.includes(null) ? "" : signed(values[1] - values[0]);
    return make("tr", metric === data.overall ? "total" : "", name, ...cells, two ? make("td", "num", change) : null);
  });
  return make("table", "scores beside-scores", make("thead", "", head), make("tbody", "", ...body));
};
// "0.6 base, +0.2 18 words" as one term per line; null unless the terms add up to the value.
const ledger = (explanation, value) => {
  const parts = [];
  let quoted = false;
  let from = 0;
  for (let place = 0; place < explanation.length; place += 1) {
    if (explanation[place] === "\\") place += 1;
    else if (explanation[place] === '"') quoted = !quoted;
    else if (!quoted && /^, [+-]\d/.test(explanation.slice(place, place + 4))) {
      parts.push(explanation.slice(from, place));
      from = place + 2;
    }
  }
  parts.push(explanation.slice(from));
  const terms = parts.map((part) => /^([+-]?\d+(?:\.\d+)?) (.*)$/s.exec(part));
  if (terms.includes(null)) return null;
  const sum = terms.reduce((total, term) => total + Number(term[1]), 0);
  if (value === null || Math.abs(sum - value) > 1e-4) return null;
  const list = make("dl", "ledger");
  for (const [, amount, why] of terms) {
    const name = amount[0] === "-" ? "minus" : amount[0] === "+" ? "plus" : "";
    list.append(make("dt", name, amount), make("dd", "", shown(why, "")));
  }
  return list;
};
const explanations = (side) => {
  const box = make("div", "ledgers");
  for (const [source, places] of Object.entries(side.w ?? {})) {
    places.forEach((place, column) => {
      if (place < 0) return;
      const metric = data.columns[source][column];
      const value = side.v?.[source]?.[column] ?? null;
      const name = make("p", "name", make("span", "", words(metric) + " · " + source), make("span", "", number(value)));
      box.append(make("div", "", name, ledger(text(place), value) ?? make("p", "arithmetic", shown(text(place), ""))));
    });
  }
  return box.childElementCount ? [make("h4", "", "Why these scores"), box] : [];
};
