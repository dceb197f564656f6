"use strict";
// Filters and sorts the rows of the index. The address keeps what was chosen; texts are only ever compared.
(() => {
  const at = (id) => document.getElementById(id);
  const NAMES = ["text", "kind", "subject", "verdict", "mark", "sort"];
  const fields = Object.fromEntries(NAMES.map((name) => [name, at("f-" + name)]));
  const collator = new Intl.Collator("en", { numeric: true });
  const rows = [...at("rows").rows].map((element) => ({
    element,
    words: element.textContent.toLowerCase(),
    marks: [...element.querySelectorAll("td:last-child .tag")].map((tag) => tag.textContent),
    kind: element.dataset.kind,
    subject: element.dataset.subject,
    verdict: element.dataset.verdict,
    made: Number(element.dataset.at),
    figure: element.dataset.figure === undefined ? null : Number(element.dataset.figure),
  }));

  const newest = (a, b) => b.made - a.made;
  // Without a figure at the end, whichever way the others go.
  const byFigure = (sign) => (a, b) =>
    (a.figure === null) - (b.figure === null) || sign * (a.figure - b.figure) || newest(a, b);
  const ORDERS = {
    "": newest,
    oldest: (a, b) => a.made - b.made,
    highest: byFigure(-1),
    lowest: byFigure(1),
    prompt: (a, b) => collator.compare(a.subject, b.subject) || newest(a, b),
  };

  const chosen = () => Object.fromEntries(NAMES.map((name) => [name, fields[name].value]));
  const fits = (row, wanted) =>
    (!wanted.kind || row.kind === wanted.kind) &&
    (!wanted.subject || row.subject === wanted.subject) &&
    (!wanted.verdict || row.verdict === wanted.verdict) &&
    (!wanted.mark || (wanted.mark === "none" ? !row.marks.length : row.marks.includes(wanted.mark))) &&
    wanted.text.toLowerCase().split(/\s+/).every((word) => row.words.includes(word));

  const show = () => {
    const wanted = chosen();
    const shown = rows.filter((row) => fits(row, wanted)).sort(ORDERS[wanted.sort] ?? newest);
    at("rows").replaceChildren(...shown.map((row) => row.element));
    at("status").textContent = shown.length === rows.length ? `${rows.length} shown` : `${shown.length} of ${rows.length} shown`;
  };
  const write = () => {
    const given = new URLSearchParams(Object.entries(chosen()).filter(([, value]) => value));
    history.replaceState(null, "", given.size ? "#" + given : location.pathname + location.search);
    show();
  };
  const read = () => {
    // "#trends" and "#all" lead to a place of the page and choose nothing.
    if (location.hash && !location.hash.includes("=")) return;
    const given = new URLSearchParams(location.hash.slice(1));
    for (const name of NAMES) {
      fields[name].value = given.get(name) ?? "";
      // A list does not take what it does not hold: then nothing is chosen.
      if (fields[name].selectedIndex === -1) fields[name].value = "";
    }
    show();
  };

  at("filters").hidden = at("status").hidden = false;
  at("filters").addEventListener("input", write);
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", read);
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    fields.text.focus();
  });
  for (const link of document.querySelectorAll(".only")) {
    link.hidden = false;
    link.addEventListener("click", (event) => {
      // The address keeps the choice, so it cannot lead to the table as well.
      event.preventDefault();
      fields.subject.value = link.dataset.subject;
      fields.kind.value = "run";
      write();
      at("all").scrollIntoView();
    });
  }
  read();
  show();
})();
