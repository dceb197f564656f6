// One response with everything that is known of it.
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
