// The list of rows, and which of them is chosen.
let found = [];
let drawn = 0;
let current = -1;
let look = null;
let waiting = 0;

const badges = (row, change = row.change) => {
  const tags = [];
  const states = new Set(row.sides.filter(Boolean).map((side) => side.s));
  for (const state of states) if (state !== "scored") tags.push(make("span", "tag bad", state));
  if (some(row, (side) => side.j?.injection)) tags.push(make("span", "tag warn", "injection?"));
  if (some(row, (side) => side.o)) tags.push(make("span", "tag bad", "moderated"));
  const critical = new Set(answers(row, (item, outcome) => item[3] && outcome === "f").map(([item]) => item[0])).size;
  if (critical) tags.push(make("span", "tag bad", critical === 1 ? "critical fails" : critical + " critical fail"));
  if (change !== null) {
    tags.push(make("span", "tag " + (change > LEAST_CHANGE ? "up" : change < -LEAST_CHANGE ? "bad" : ""), signed(change)));
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
  const top = make("span", "top", make("b", "", number(look.value(row))), make("span", "id", line(id)), ...badges(row, look.change(row)));
  const { p: parts, r: whole } = row.lead;
  const said = parts ? parts.map(([, place]) => text(place)).join(" · ") : text(whole).trim() ? text(whole) : callsOf(row.lead).join(" · ");
  const reply = whole === undefined ? "no response" : line(said) || "(empty)";
  const item = make("li", "", top, make("span", "line", line(text(row.lead.i))), make("span", "line", reply), pips(row));
  item.id = "o" + place;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", "false");
  markJudged(item, row);
  return item;
};
const draw = (until) => {
  const stop = Math.min(found.length, until);
  const items = [];
  for (; drawn < stop; drawn += 1) items.push(option(found[drawn], drawn));
  at("list").append(...items);
};
const refresh = () => {
  if (judging) drawBlind();
  const given = chosen();
  look = looking(given);
  found = rows.filter(wanted(given)).sort(SORTS[given.sort][1](look));
  drawn = 0;
  current = -1;
  at("list").replaceChildren();
  at("list").removeAttribute("aria-activedescendant");
  at("list").scrollTop = 0;
  draw(PAGE);
  const active = NAMES.filter((name) => !["text", "sort"].includes(name) && given[name]);
  at("f-count").textContent = active.length ? "(" + active.length + ")" : "";
  at("of-below").hidden = !given.below;
  const total = rows.length.toLocaleString("en");
  at("status").textContent = found.length.toLocaleString("en") + " of " + total + (rows.length === 1 ? " response" : " responses");
  showChips(given);
  noteAddress();
  if (found.length) choose(0);
  else {
    const empty = make("li", "empty", "No response matches: take a filter off.");
    empty.setAttribute("role", "presentation");
    at("list").append(empty);
    at("detail").replaceChildren();
    at("detail").dispatchEvent(new Event("chosen"));
  }
};
// Once a frame, however fast somebody types.
const refreshSoon = () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => {
    waiting = 0;
    refresh();
  });
};
// Who goes to the list before that frame moves in what was asked for, not in the list of before.
const refreshIfWaiting = () => {
  if (!waiting) return;
  cancelAnimationFrame(waiting);
  waiting = 0;
  refresh();
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
  at("detail").dispatchEvent(new Event("chosen"));
  noteAddress();
};
