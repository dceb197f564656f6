"use strict";
// The browser of responses. Texts reach the page through textContent alone; nothing is ever parsed as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const PAGE = 150;
  const compared = data.sides.length > 1;
  const OUTCOMES = { f: "fails", n: "not shown", h: "holds" };
  const collator = new Intl.Collator("en");
  // Controls, formats (direction marks, zero width), private use, unassigned, line separators: shown as their escapes.
  // A joiner between emoji belongs to the picture.
  const HIDDEN = /(?<!\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f]?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
  const MARKS = /(\p{Mn}{3})(\p{Mn}+)/gu;

  // --- building -------------------------------------------------------------------------------------------------------

  const make = (tag, name, ...children) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    element.append(...children.filter((child) => child !== null && child !== ""));
    return element;
  };
  const escaped = (char) => {
    const code = char.codePointAt(0);
    return code < 0x100 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u" + code.toString(16).padStart(4, "0");
  };
  // Marks that would climb over other lines, as escapes.
  const flat = (text) => text.replace(MARKS, (_, kept, rest) => kept + [...rest].map(escaped).join(""));
  // Where quotes ([words, outcome]) stand in a text, as spans [start, length, outcome].
  const quoted = (text, quotes) => quotes.map(([quote, outcome]) => [text.indexOf(quote), quote.length, outcome]).filter(([start]) => start >= 0);
  // A text in pieces, at the ends of spans; each with what the page says of the words in it: outcomes, and "d" where they differ.
  const cut = (text, spans) => {
    const ends = [...new Set([0, text.length, ...spans.flatMap(([start, length]) => [start, start + length])])].sort((a, b) => a - b);
    return ends.slice(1).map((end, place) => {
      const over = spans.filter(([start, length]) => start <= ends[place] && end <= start + length).map((span) => span[2]);
      const outcome = ["f", "n", "h"].find((each) => over.includes(each));
      const names = [outcome ? "m-" + OUTCOMES[outcome].replace(" ", "_") : "", over.includes("d") ? "differs" : ""];
      return [text.slice(ends[place], end), names.filter(Boolean).join(" ")];
    });
  };
  // A text with its line breaks, whatever cannot be seen shown as its escape, and the words in spans marked.
  const shown = (text, name = "said", spans = []) => {
    const element = make("span", name);
    element.dir = "auto";
    for (const [piece, marked] of spans.length ? cut(text, spans) : [[text, ""]]) {
      const target = marked ? make("mark", marked) : element;
      const plain = flat(piece.replace(/\r\n/g, "\n"));
      let from = 0;
      for (const found of plain.matchAll(HIDDEN)) {
        if (found[0] === "\n" || found[0] === "\t") continue;
        target.append(plain.slice(from, found.index), make("span", "esc", escaped(found[0])));
        from = found.index + found[0].length;
      }
      target.append(plain.slice(from));
      if (target !== element) element.append(target);
    }
    return element;
  };
  const line = (text, length = 160) => {
    const cut = text.length > length ? text.slice(0, length) + "…" : text;
    return flat(cut).replace(/\s+/g, " ").replace(HIDDEN, escaped);
  };
  const words = (name) => line(name.replaceAll("_", " "));
  const text = (place) => (place === undefined || place < 0 ? "" : data.texts[place]);
  // Two decimals as the rest of the report writes them: a tie goes to the even neighbour, which toFixed does not do.
  const number = (value) => {
    if (value === null || value === undefined) return "–";
    const hundreds = value * 100;
    const tie = Number.isInteger(value * 8) && Math.abs(hundreds % 1) === 0.5;
    return (tie ? 2 * Math.round(hundreds / 2) / 100 : value).toFixed(2);
  };
  const signed = (value) => {
    const text_ = value.toFixed(3);
    return Number(text_) === 0 ? "0.000" : (value > 0 ? "+" : "") + text_;
  };
  const link = (title, url) => {
    if (!/^https?:\/\//i.test(url)) return make("span", "", title + ": " + url);
    const element = make("a", "", title);
    Object.assign(element, { href: url, rel: "noreferrer noopener", target: "_blank" });
    return element;
  };

  // --- rows -----------------------------------------------------------------------------------------------------------

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
  const valueOf = (row, source, metric) => {
    const value = row.lead.v?.[source]?.[data.columns[source].indexOf(metric)];
    return typeof value === "number" && !row.lead.n?.includes(metric) ? value : null;
  };

  // --- filters --------------------------------------------------------------------------------------------------------

  const FLAGS = {
    "": ["Everything", () => true],
    injection: ["May be addressing the judge", (row) => some(row, (side) => side.j?.injection)],
    review: ["Verdict to be reviewed", (row) => some(row, (side) => side.j?.review.length)],
    moderated: ["Flagged by moderation", (row) => some(row, (side) => side.o)],
    cut: ["Did not end by itself", (row) => some(row, (side) => side.m && side.m.finish !== "stop")],
    conversation: ["With earlier conversation", (row) => some(row, (side) => side.c)],
    error: ["With an error", (row) => some(row, (side) => side.e)],
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

  // --- list -----------------------------------------------------------------------------------------------------------

  let found = [];
  let drawn = 0;
  let current = -1;

  const badges = (row) => {
    const tags = [];
    const states = new Set(row.sides.filter(Boolean).map((side) => side.s));
    for (const state of states) if (state !== "scored") tags.push(make("span", "tag bad", state));
    if (some(row, (side) => side.j?.injection)) tags.push(make("span", "tag warn", "injection?"));
    if (some(row, (side) => side.o)) tags.push(make("span", "tag bad", "moderated"));
    const critical = answers(row, (item, outcome) => item[3] && outcome === "f").length;
    if (critical) tags.push(make("span", "tag bad", critical === 1 ? "critical fails" : critical + " critical fail"));
    if (row.change !== null) {
      tags.push(make("span", "tag " + (row.change > 0.0005 ? "up" : row.change < -0.0005 ? "bad" : ""), signed(row.change)));
    }
    return tags;
  };
  // One mark for each expectation of a response: they are counted at a glance, and the words say the same.
  const pips = (row) => {
    const found = answers(row, () => true);
    if (!found.length) return null;
    const box = make("span", "pips", ...found.map(([item, outcome]) => make("i", "p-" + outcome + (item[3] ? " critical" : ""))));
    const counts = Object.entries(OUTCOMES).map(([letter, words_]) => [found.filter((each) => each[1] === letter).length, words_]);
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", "expectations: " + counts.filter(([count]) => count).map(([count, words_]) => count + " " + words_).join(", "));
    box.title = box.getAttribute("aria-label");
    return box;
  };
  const option = (row, place) => {
    const id = row.scenario.id + (row.turn > 1 || row.lead.c ? " · turn " + row.turn : "") + (row.repeat > 1 ? " · r" + row.repeat : "");
    const top = make("span", "top", make("b", "", number(row.overall)), make("span", "id", line(id)), ...badges(row));
    const { p: parts, r: whole } = row.lead;
    const said = parts ? parts.map(([, place]) => text(place)).join(" · ") : text(whole).trim() ? text(whole) : callsOf(row.lead).join(" · ");
    const reply = whole === undefined ? "no response" : line(said) || "(empty)";
    const item = make("li", "", top, make("span", "line", line(text(row.lead.i))), make("span", "line", reply), pips(row));
    item.id = "o" + place;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    return item;
  };
  const draw = (until) => {
    const stop = Math.min(found.length, until);
    const items = [];
    for (; drawn < stop; drawn += 1) items.push(option(found[drawn], drawn));
    at("list").append(...items);
  };
  const refresh = () => {
    found = rows.filter(wanted()).sort(SORTS[at("f-sort").value][1]);
    drawn = 0;
    current = -1;
    at("list").replaceChildren();
    at("list").removeAttribute("aria-activedescendant");
    at("list").scrollTop = 0;
    draw(PAGE);
    const active = ["category", "audience", "tag", "state", "flag", "item", "low", "high", "gap"].filter((name) => at("f-" + name).value);
    at("f-count").textContent = active.length ? "(" + active.length + ")" : "";
    const total = rows.length.toLocaleString("en");
    at("status").textContent = found.length.toLocaleString("en") + " of " + total + (rows.length === 1 ? " response" : " responses");
    if (found.length) choose(0);
    else {
      const empty = make("li", "empty", "No response matches: take a filter off.");
      empty.setAttribute("role", "presentation");
      at("list").append(empty);
      at("detail").replaceChildren();
    }
  };
  const choose = (place, scroll = true) => {
    const next = Math.max(0, Math.min(found.length - 1, place));
    if (!found.length) return;
    draw(next + PAGE / 3);
    at("o" + current)?.setAttribute("aria-selected", "false");
    current = next;
    const item = at("o" + current);
    item.setAttribute("aria-selected", "true");
    at("list").setAttribute("aria-activedescendant", item.id);
    if (scroll) {
      const list = at("list");
      const [top, bottom] = [item.offsetTop - list.offsetTop, item.offsetTop - list.offsetTop + item.offsetHeight];
      if (top < list.scrollTop) list.scrollTop = top;
      if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
    }
    at("detail").replaceChildren(...detail(found[current]));
    at("detail").scrollTop = 0;
  };

  // --- one response ---------------------------------------------------------------------------------------------------

  const bubble = (role, body, name) => make("div", name, make("span", "who", role), ...body);
  const saidBy = (role) => (role === "user" ? "user" : "assistant");
  // The quotes that stand in the response to a turn, each with the outcome that it shows.
  const quotesAt = (side, turn) => answersOf(side)
    .filter(([, , , quote, at_]) => quote >= 0 && at_ === turn)
    .map(([, outcome, , quote]) => [text(quote), outcome]);
  // Calls of tools, each with what came back.
  const called = (calls) => calls.map(([name, given, result]) => bubble(
    "calls " + line(name),
    [make("div", "", shown(text(given))), make("div", "", make("b", "", "result"), " ", result < 0 ? make("i", "none", "(none)") : shown(text(result)))],
    "assistant",
  ));
  // What was said up to a response, step by step: whose words, and how they are drawn with spans marked.
  const stepsOf = (side, turn) => {
    const earlier = side.c ?? [];
    const steps = earlier.map(([role, place, ...calls], number_) => {
      const answered_ = role === "assistant" ? turn - (earlier.length - number_ + 1) / 2 : 0;
      const spans = answered_ > 0 ? quoted(text(place), quotesAt(side, answered_)) : [];
      return {
        user: role === "user", said: text(place),
        draw: (more) => [...called(calls), bubble(role, [shown(text(place), "said", [...spans, ...more])], saidBy(role))],
      };
    });
    steps.push({ user: true, said: text(side.i), draw: () => [bubble("user", [shown(text(side.i))], "user")] });
    steps.push({ user: false, said: side.p ? "" : text(side.r), draw: (more) => [...called(side.t ?? []), ...responseOf(side, turn, more)] });
    return steps;
  };
  const responseOf = (side, turn, more) => {
    const bubbles = [];
    if (side.r === undefined) bubbles.push(bubble("no response", [side.s], "lost"));
    else if (side.p) bubbles.push(bubble("response", side.p.map(([label, place]) => make("div", "", make("b", "", line(label)), " ", shown(text(place)))), "judged"));
    else {
      const spans = [...quoted(text(side.r), quotesAt(side, turn)), ...more];
      bubbles.push(bubble("response", [text(side.r).trim() ? shown(text(side.r), "said", spans) : make("i", "none", "(empty)")], "judged"));
    }
    if (side.a !== undefined) bubbles.push(bubble("as it came", [shown(text(side.a))], "assistant"));
    return bubbles;
  };
  const conversation = (side, turn) => make("div", "turns", ...stepsOf(side, turn).flatMap((step) => step.draw([])));

  // --- two and more responses beside each other -----------------------------------------------------------------------

  const WORD = /[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu;
  const PLAIN_WORD = /[\p{L}\p{N}]/u;
  const MOST_CELLS = 4e6;
  const LEAST_ALIKE = 0.3;
  // For each word of two texts, true where the other has it too, in the same order; null where they are too long to tell.
  const sharedWords = (a, b) => {
    if (a.length * b.length > MOST_CELLS) return null;
    const width = b.length + 1;
    const best = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) {
        best[i * width + j] = a[i][0] === b[j][0]
          ? best[(i + 1) * width + j + 1] + 1
          : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
      }
    }
    const held = [a.map(() => false), b.map(() => false)];
    for (let i = 0, j = 0; i < a.length && j < b.length;) {
      if (a[i][0] === b[j][0]) {
        held[0][i] = held[1][j] = true;
        i += 1;
        j += 1;
      } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i += 1;
      else j += 1;
    }
    return held;
  };
  // The spans of neighbouring words that the other text does not have.
  const spansOf = (tokens, held) => {
    const spans = [];
    tokens.forEach((token, place) => {
      if (held[place]) return;
      const end = token.index + token[0].length;
      if (place && !held[place - 1]) spans.at(-1)[1] = end - spans.at(-1)[0];
      else spans.push([token.index, token[0].length, "d"]);
    });
    return spans;
  };
  // What differs between two texts, as spans of each; null where they have too little in common, or are too long.
  const differing = (one, other) => {
    const tokens = [[...one.matchAll(WORD)], [...other.matchAll(WORD)]];
    const held = sharedWords(...tokens);
    if (!held) return null;
    const plain = tokens.map((side) => side.map((token) => PLAIN_WORD.test(token[0])));
    const all = plain.flat().filter(Boolean).length;
    const alike = plain.flatMap((side, number_) => side.filter((is, place) => is && held[number_][place])).length;
    return all && alike / all < LEAST_ALIKE ? null : tokens.map((side, number_) => spansOf(side, held[number_]));
  };
  // One step of each side in a row, so that what answers the same message stays beside it however long the others are.
  const rowOf = (steps) => {
    const [first] = steps;
    if (steps.every((step) => step?.user && step.said === first.said)) return make("div", "turns both", ...first.draw([]));
    const comparable = steps.length === 2 && steps.every((step) => step && !step.user && step.said.trim());
    const spans = comparable ? differing(first.said, steps[1].said) : null;
    const cells = steps.map((step, place) => make("div", "turns cell",
      make("b", "whose", line(data.sides[place].name)),
      ...(step ? step.draw(spans?.[place] ?? []) : [make("p", "none", "Nothing at this turn.")])));
    const box = make("div", "pair", ...cells);
    box.dataset.marked = !comparable ? "" : !spans ? "no" : spans.flat().length ? "yes" : "same";
    return box;
  };
  const MARKED = {
    "": "", yes: "Words that the other response does not have are marked.",
    same: "Both responses have the same words.",
    no: "The responses have too few words in common to mark what differs.",
  };
  const OPEN_ROWS = 4;
  const beside = (row) => {
    const steps = row.sides.map((side) => (side ? stepsOf(side, row.turn) : []));
    const longest = Math.max(...steps.map((each) => each.length));
    // From the end, where the response stands: a side may have less before it.
    const lines = Array.from({ length: longest }, (_, place) => rowOf(steps.map((each) => each[place - longest + each.length])));
    const [earlier, last] = [lines.slice(0, -2), lines.slice(-2)];
    const names = make("div", "pair names", ...data.sides.map((side) => make("b", "", line(side.name))));
    const box = make("div", row.sides.length === 2 ? "beside-turns two" : "beside-turns", names);
    if (earlier.length) {
      const count = Math.ceil(earlier.length / 2);
      const folded = make("details", "earlier", make("summary", "", count === 1 ? "1 earlier turn" : count + " earlier turns"), ...earlier);
      folded.open = earlier.length <= OPEN_ROWS;
      box.append(folded);
    }
    const said = MARKED[last.at(-1).dataset.marked];
    box.append(...last, said ? make("p", "note", said) : "");
    return box;
  };
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
  const verdict = (side) => {
    const about = side.j;
    if (!about) return [];
    const parts = [make("h4", "", "Judge, " + line(about.model))];
    if (about.injection) parts.push(make("p", "", make("span", "tag warn", "The response may be addressing the judge")));
    if (!about.parsed) parts.push(make("p", "", make("span", "tag bad", "Verdict not read"), " ", shown(about.problem, "")));
    if (text(about.words)) parts.push(make("p", "judge-words", shown(text(about.words), "")));
    if (about.given !== undefined) parts.push(make("p", "note", "Its own overall was " + number(about.given) + "; the score is computed from its dimensions."));
    if (about.samples) parts.push(make("p", "note", "Samples of the overall: " + about.samples.map((value) => number(value)).join(", ")));
    const spread = Object.entries(about.spread ?? {}).map(([metric, width]) => words(metric) + " " + number(width));
    if (spread.length) parts.push(make("p", "note", "Spread of the samples: " + spread.join(", ")));
    for (const why of about.review) parts.push(make("p", "note", "To be reviewed: " + line(why, 400)));
    if (about.raw !== undefined) parts.push(make("details", "", make("summary", "", "The judge's whole answer"), shown(text(about.raw), "raw")));
    return parts;
  };
  const answered = (side) => {
    const about = side.m;
    const parts = [];
    if (about) {
      parts.push(line(about.model), about.ms.toLocaleString("en") + " ms");
      if (about.in !== null) parts.push(about.in + " tokens in, " + about.out + " out");
      if (about.usd !== null) parts.push(about.cached ? "paid for by an earlier run" : "$" + about.usd);
      if (about.attempts > 1) parts.push(about.attempts + " attempts");
      if (about.finish !== "stop") parts.push("ended by " + line(about.finish));
    }
    if (side.o) parts.push("moderation: " + side.o.map((name) => line(name)).join(", "));
    return parts.length ? [make("p", "note", parts.join(" · "))] : [];
  };
  const failure = (side) => {
    if (!side.e) return [];
    const head = make("span", "tag bad", line(side.e.stage + ": " + side.e.kind));
    return [make("p", "", head, " ", shown(text(side.e.message), ""), make("small", "", " after " + side.e.attempts + (side.e.attempts === 1 ? " attempt" : " attempts")))];
  };
  // What the response is held to: what fails first, then what is not shown, then what holds.
  const RANK = { f: 0, n: 2, h: 4 };
  const WHO = { human: "people", judge: "judge", rule: "rule" };
  const held = (side, turn) => {
    const found = answersOf(side).sort((a, b) => RANK[a[1]] - a[0][3] - (RANK[b[1]] - b[0][3]));
    if (!found.length) return [];
    const items = found.map(([[id, kind, question, critical], outcome, source, quote, at_, reason, again]) => {
      const tone = outcome === "h" ? "up" : outcome === "n" ? "warn" : "bad";
      const name = make("p", "asked", kind === "never" ? make("span", "never", "Must not: ") : "", shown(text(question), ""));
      const about = make("p", "about", make("code", "", line(id)), ...(critical ? [" ", make("span", "tag" + (outcome === "f" ? " bad" : ""), "critical")] : []));
      const parts = [name, about];
      if (quote >= 0) parts.push(make("p", "said-so", WHO[source] + (source === "human" ? " quote" : " quotes") + (at_ && at_ !== turn ? " (turn " + at_ + ")" : "") + ": ", make("q", "", shown(text(quote), ""))));
      if (reason >= 0) parts.push(make("p", "said-so", WHO[source] + ": ", shown(text(reason), "")));
      if (again.length > 1) parts.push(make("p", "said-so", "judge, asked " + again.length + " times: " + [...again].map((letter) => OUTCOMES[letter]).join(", ")));
      if (quote < 0 && reason < 0) about.append(" " + WHO[source]);
      return make("li", "", make("span", "tag " + tone, OUTCOMES[outcome]), make("div", "", ...parts));
    });
    return [make("h4", "", "Expectations"), make("ul", "held", ...items)];
  };
  const sideView = (side, number_, turn) => {
    const about = data.sides[number_];
    const box = make("div", "side");
    if (compared) box.append(make("h4", "", line(about.name)));
    if (!side) {
      box.append(make("p", "none", "No result in this run."));
      return box;
    }
    if (!compared) box.append(conversation(side, turn));
    box.append(...answered(side), ...failure(side), ...held(side, turn));
    if (!compared) box.append(make("h4", "", "Scores"), scoreTable(side));
    if (side.x && about.traces) box.append(make("p", "note", link("Trace in Langfuse", about.traces + encodeURIComponent(side.x))));
    return box;
  };
  const whyView = (side, number_) => {
    if (!side) return make("div", "side");
    const box = make("div", "side", ...verdict(side), ...explanations(side));
    if (compared) box.prepend(make("h4", "", line(data.sides[number_].name)));
    return box;
  };
  const detail = (row) => {
    const { scenario } = row;
    const tags = [scenario.category, "repeat " + row.repeat, "turn " + row.turn, ...scenario.tags];
    if (scenario.situation !== scenario.id) tags.push("situation " + scenario.situation);
    const parts = [make("h3", "", line(scenario.id)), make("p", "meta", ...tags.map((tag) => make("span", "tag", words(tag))), ...badges(row))];
    if (scenario.audience) parts.push(make("p", "note", "The user: " + line(scenario.audience, 400)));
    if (text(scenario.note)) parts.push(make("p", "good-answer", "A good answer: ", shown(text(scenario.note), "")));
    if (compared) parts.push(beside(row));
    parts.push(make("div", "columns", ...row.sides.map((side, place) => sideView(side, place, row.turn))));
    if (compared) parts.push(make("h4", "", "Scores, " + data.source), scoresBeside(row));
    parts.push(make("div", "columns", ...row.sides.map(whyView)));
    return parts;
  };

  // --- keys and links -------------------------------------------------------------------------------------------------

  const MOVES = {
    ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity,
  };
  const onListKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in MOVES) choose(current + MOVES[event.key]);
    else if (event.key === "Enter" || event.key === " ") at("detail").focus();
    else return;
    event.preventDefault();
  };
  const onPageKey = (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      at("f-text").focus();
    } else if (event.key === "Escape" && at("browser").contains(event.target)) {
      if (event.target === at("f-text") && at("f-text").value) {
        // The browser empties the box only after this, when it has lost the focus, and says so to nobody.
        at("f-text").value = "";
        refresh();
      }
      at("list").focus();
    } else if (event.key === "ArrowDown" && event.target === at("f-text")) {
      event.preventDefault();
      at("list").focus();
    }
  };
  // "#e=number": the responses in which an expectation does not hold.
  const followItem = () => {
    const id = data.items[Number(location.hash.slice(3))]?.[0];
    if (![...at("f-item").options].some((each) => each.value === id)) return;
    at("filters").reset();
    resetMetric();
    at("f-item").value = id;
    at("filters").querySelector(".more").open = true;
    refresh();
    at("responses").scrollIntoView();
    at("list").focus({ preventScroll: true });
  };
  const follow = () => {
    if (location.hash.startsWith("#e=")) followItem();
    if (!location.hash.startsWith("#r=")) return;
    const key = location.hash.slice(3);
    const look = () => found.findIndex((row) => row.key === key);
    if (look() < 0) {
      at("filters").reset();
      resetMetric();
      refresh();
    }
    if (look() < 0) return;
    choose(look());
    at("responses").scrollIntoView();
    at("list").focus({ preventScroll: true });
  };

  if (!rows.length) {
    at("responses").append(make("p", "none", "No exchange of this run has a result."));
    return;
  }
  fillControls();
  at("browser").hidden = false;
  let waiting = 0;
  at("filters").addEventListener("input", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(refresh);
  });
  at("filters").addEventListener("reset", () => setTimeout(() => { resetMetric(); refresh(); }));
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("list").addEventListener("keydown", onListKey);
  at("list").addEventListener("click", (event) => {
    const item = event.target.closest("li[id]");
    if (item) choose(Number(item.id.slice(1)), false);
  });
  at("list").addEventListener("scroll", () => {
    const list = at("list");
    if (list.scrollTop + list.clientHeight > list.scrollHeight - 400) draw(drawn + PAGE);
  }, { passive: true });
  document.addEventListener("keydown", onPageKey);
  addEventListener("hashchange", follow);
  refresh();
  follow();
})();
