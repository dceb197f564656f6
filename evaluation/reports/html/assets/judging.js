// The bar above the chosen response, in which a person judges it.
const changes = [];
const judge = {};
// Changes what is said of the chosen response; `typing` for a comment, whose letters are one change.
const say = (patch, typing = false) => {
  const row = found[current];
  if (!row || !mayBeJudged(row)) return;
  const [place, before] = [placeOf(row), saidOf(row)];
  const last = changes.at(-1);
  if (!(typing && last?.typing && last.place === place)) changes.push({ place, before, typing });
  // Whoever saw the scores once is not blind any more.
  const line_ = { ...(before ?? begun(row)), ...patch, blind: blind && (before?.blind ?? true), at: new Date().toISOString() };
  if (isJudged(line_) || line_.comment) said.set(place, line_);
  else said.delete(place);
  store();
  showSaid();
};
const undo = () => {
  const last = changes.pop();
  if (!last) return;
  if (last.before) said.set(last.place, last.before);
  else said.delete(last.place);
  store();
  const where = found.findIndex((row) => placeOf(row) === last.place && mayBeJudged(row));
  if (where >= 0 && where !== current) choose(where);
  showEverySaid();
};
const chosenLine = () => (found[current] ? saidOf(found[current]) : undefined);
const giveOrTake = (name, value, none) => say({ [name]: chosenLine()?.[name] === value ? none : value });
// The first or second answer as it stands on the screen.
const prefer = (answer) => {
  if (!found[current]) return;
  const same = shownAnswer(chosenLine()) === answer;
  say({ answer: same ? null : answer, shown_first: isTurned(found[current]) ? "candidate" : "base" });
};
const shownAnswer = (line_) => {
  if (!line_ || line_.answer === null || line_.answer === "tie") return line_?.answer ?? null;
  const first = isTurned(found[current]) ? "candidate" : "base";
  return line_.shown_first === first ? line_.answer : line_.answer === "first" ? "second" : "first";
};
const comment = () => {
  if (!found[current] || !mayBeJudged(found[current])) return;
  judge.comment.hidden = false;
  judge.comment.querySelector("textarea").focus();
};
const nextOpen = () => {
  const open = (row) => mayBeJudged(row) && !isJudged(saidOf(row));
  const after = found.findIndex((row, place) => place > current && open(row));
  const where = after < 0 ? found.findIndex(open) : after;
  if (where >= 0) choose(where);
};
const judgingKey = (name, does, act) => ({ names: [name], where: "judging", does, act });
// Of the table of keys those that judge.
const JUDGING_KEYS = judging === null ? [] : [
  ...(paired ? [
    judgingKey("1", "the first is better", () => prefer("first")),
    judgingKey("2", "the second is better", () => prefer("second")),
    judgingKey("t", "a tie", () => prefer("tie")),
  ] : [
    judgingKey("g", "keep", () => giveOrTake("judgement", "keep", "neither")),
    judgingKey("f", "flag", () => giveOrTake("judgement", "flag", "neither")),
    ...judging.grades.map(([key, label]) => judgingKey(key, "rate it " + key + (label ? ", " + label : ""), () => giveOrTake("rating", key, null))),
  ]),
  judgingKey("c", "comment", comment),
  judgingKey("u", "undo", undo),
  judgingKey("n", "next that is not judged", nextOpen),
  judgingKey("b", "blind: hide scores, verdicts and names", () => setBlind(!blind)),
];

// --- how it looks ----------------------------------------------------------------------------------------------------

const press = (element, on) => element.setAttribute("aria-pressed", String(on));
// A button for a key; `name` says which.
const keyButton = (key, name, words_) => {
  const element = make("button", name, ...(words_ === key ? [] : [words_ + " "]), make("kbd", "", key));
  const { does, act } = JUDGING_KEYS.find(({ names }) => names[0] === key);
  element.type = "button";
  element.title = does;
  // A grade of two digits has a button and no key.
  if (key.length === 1) element.setAttribute("aria-keyshortcuts", key);
  element.setAttribute("aria-label", words_ === key ? does : words_);
  element.addEventListener("click", act);
  judge.buttons.set(key, element);
  return element;
};
const showSaid = () => {
  const row = found[current];
  const line_ = chosenLine();
  const open = Boolean(row) && mayBeJudged(row);
  for (const [key, element] of judge.buttons) if (!"unb".includes(key)) element.disabled = !open;
  if (paired) for (const [key, answer] of [["1", "first"], ["2", "second"], ["t", "tie"]]) press(judge.buttons.get(key), open && shownAnswer(line_) === answer);
  else {
    for (const [key, word] of [["g", "keep"], ["f", "flag"]]) press(judge.buttons.get(key), line_?.judgement === word);
    for (const [key] of judging.grades) press(judge.buttons.get(key), line_?.rating === key);
  }
  press(judge.buttons.get("b"), blind);
  judge.buttons.get("u").disabled = !changes.length;
  const box = judge.comment.querySelector("textarea");
  if (box.value !== (line_?.comment ?? "")) box.value = line_?.comment ?? "";
  judge.comment.hidden = !open || (!box.value && document.activeElement !== box);
  const lines_ = [...said.values()];
  const counts = [lines_.filter(isJudged).length + " judged", ...(paired ? [] : [lines_.filter((each) => each.judgement === "flag").length + " flagged"])];
  judge.counter.textContent = counts.join(", ");
  judge.why.textContent = !row || open ? "" : whyNot(row);
  judge.lost.hidden = stored;
  if (judge.export.open) fillExport();
  if (row && at("o" + current)) markJudged(at("o" + current), row);
};
const showEverySaid = () => {
  found.slice(0, drawn).forEach((row, place) => markJudged(at("o" + place), row));
  showSaid();
};
const whyNot = (row) => {
  if (!row.sides.every((side) => side?.h)) return paired ? "One of both runs has no response here." : "There is no response here to be judged.";
  return row.turn === row.scenario.turns ? "Both responses are the same." : "Whole conversations are compared: judge this one at its last turn, " + row.scenario.turns + ".";
};

// --- blind -----------------------------------------------------------------------------------------------------------

// All that a person sees who is to say something of their own: what was said, and what it is held to.
const blindDetail = (row) => {
  const { scenario } = row;
  const bare = row.sides.map((side) => side && { ...side, k: [] });
  const tags = [scenario.category, "repeat " + row.repeat, "turn " + row.turn];
  const parts = [make("h3", "", line(scenario.id)), make("p", "meta", ...tags.map((tag) => make("span", "tag", words(tag))))];
  if (scenario.audience) parts.push(make("p", "note", "The user: " + line(scenario.audience, 400)));
  if (text(scenario.note)) parts.push(make("p", "good-answer", "A good answer: ", shown(text(scenario.note), "")));
  parts.push(compared ? beside({ ...row, sides: isTurned(row) ? bare.reverse() : bare }) : conversation(bare[0], row.turn));
  const asked = [...new Set(row.sides.flatMap(answersOf).map(([item]) => text(item[2])))];
  if (asked.length) parts.push(make("h4", "", "What it is held to"), make("ul", "asked-of", ...asked.map((question) => make("li", "", shown(question, "")))));
  return parts;
};
const TITLE = document.title;
// Blind is what a page shows with no filter that says anything of a score, in an order that says nothing either.
const drawBlind = () => {
  document.body.classList.toggle("blind", blind);
  document.body.classList.toggle("paired", paired);
  document.title = blind ? "Blind review" : TITLE;
  if (!blind) return;
  const { text: searched } = chosen();
  clear();
  set({ text: searched, sort: "shuffled" });
};
const setBlind = (on) => {
  const row = found[current];
  blind = on;
  store();
  if (!on) clear();
  refresh();
  const where = found.indexOf(row);
  if (where > 0) choose(where);
  at("responses").scrollIntoView();
};

// --- export ----------------------------------------------------------------------------------------------------------

const fillExport = () => {
  judge.text.value = exported();
  for (const each of judge.export.querySelectorAll("button")) each.disabled = !judge.text.value;
};
const download = () => {
  const url = URL.createObjectURL(new Blob([exported()], { type: "application/x-ndjson" }));
  const element = make("a");
  Object.assign(element, { href: url, download: judging.file });
  element.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  judge.taken = exported();
};
const copyExport = async () => {
  judge.text.select();
  try {
    await navigator.clipboard.writeText(judge.text.value);
  } catch {
    if (!document.execCommand("copy")) return;
  }
  judge.taken = exported();
  judge.copied.textContent = "Copied: save it as " + judging.file + ".";
};
const exportBox = () => {
  const button = (words_, action) => {
    const element = make("button", "", words_);
    element.type = "button";
    element.addEventListener("click", action);
    return element;
  };
  judge.text = make("textarea", "exported");
  Object.assign(judge.text, { readOnly: true, rows: 4, wrap: "off", spellcheck: false });
  judge.text.setAttribute("aria-label", "What is exported");
  judge.copied = make("span", "note");
  judge.copied.setAttribute("role", "status");
  const how = make("p", "note", "Save the file, then take it in, with your name for NAME: ", make("code", "", judging.command));
  judge.export = make("details", "export", make("summary", "", "Export"), make("p", "row", button("Download", download), button("Copy", copyExport), judge.copied), how, judge.text);
  judge.export.addEventListener("toggle", () => { if (judge.export.open) fillExport(); });
  return judge.export;
};

const commentBox = () => {
  const box = make("textarea", "");
  Object.assign(box, { rows: 2, maxLength: judging.longest, placeholder: "Why? A sentence that others learn from.   ( Esc to leave )" });
  judge.comment = make("label", "comment", make("span", "sr", "Comment"), box);
  judge.comment.hidden = true;
  box.addEventListener("input", () => say({ comment: box.value.slice(0, judging.longest) }, true));
  box.addEventListener("blur", showSaid);
  return judge.comment;
};
const judgingBar = () => {
  judge.buttons = new Map();
  const answers_ = paired
    ? [keyButton("1", "", "First better"), keyButton("2", "", "Second better"), keyButton("t", "", "Tie")]
    : [keyButton("g", "good", "Keep"), keyButton("f", "poor", "Flag"), judging.grades.length ? make("span", "note", "Rate") : null, ...judging.grades.map(([key]) => keyButton(key, "grade", key))];
  const others = [["c", "Comment"], ["u", "Undo"], ["n", "Next open"], ["b", "Blind"]].map(([key, words_]) => keyButton(key, "", words_));
  judge.counter = make("p", "note");
  judge.counter.setAttribute("role", "status");
  judge.why = make("p", "note");
  judge.lost = make("p", "lost", "This browser keeps nothing for this page: what you say is in this window alone, so export it before you close it.");
  judge.lost.hidden = true;
  const rest = make("div", "row", judge.counter, exportBox());
  const bar = make("div", "judging", make("div", "row", ...answers_, ...others), judge.why, commentBox(), judge.lost, rest);
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "Your judgement");
  return bar;
};
const startJudging = () => {
  if (judging === null) return;
  readStored();
  blind = readBlind();
  const [pane, reading] = [at("detail"), make("div", "reading", judgingBar())];
  pane.replaceWith(reading);
  reading.append(pane);
  pane.addEventListener("chosen", () => {
    if (blind && found[current]) pane.replaceChildren(...blindDetail(found[current]));
    showSaid();
  });
  addEventListener("storage", (event) => {
    if (event.key !== STORE) return;
    readStored();
    showEverySaid();
  });
  addEventListener("beforeunload", (event) => {
    if (!stored && said.size && exported() !== judge.taken) event.preventDefault();
  });
};
