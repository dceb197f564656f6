// Keys: names, where they count, what they do in words for the help, and what they do. A line more is a key more.
const WHERE = {
  page: (target) => !target.closest("input, select, textarea"),
  list: (target) => target === at("list"),
  search: (target) => target === at("f-text"),
  browser: (target) => at("browser").contains(target),
  judging: (target) => WHERE.page(target) && (WHERE.browser(target) || (blind && target === document.body)),
};
const toList = () => {
  refreshIfWaiting();
  at("list").focus();
};
const emptySearch = () => {
  if (at("f-text").value) {
    // The browser empties the box only after this, when it has lost the focus, and says so to nobody.
    at("f-text").value = "";
    refresh();
  }
  toList();
};
const KEYS = [
  { names: ["/"], where: "page", does: "search", act: () => at("f-text").focus() },
  { names: ["ArrowDown", "j"], where: "list", does: "next response", act: () => choose(current + 1) },
  { names: ["ArrowUp", "k"], where: "list", does: "response before", act: () => choose(current - 1) },
  { names: ["PageDown"], where: "list", does: "ten responses on", act: () => choose(current + 10) },
  { names: ["PageUp"], where: "list", does: "ten responses back", act: () => choose(current - 10) },
  { names: ["Home"], where: "list", does: "first response", act: () => choose(0) },
  { names: ["End"], where: "list", does: "last response", act: () => choose(found.length - 1) },
  { names: ["Enter", " "], where: "list", does: "read the response", act: () => at("detail").focus() },
  { names: ["ArrowDown"], where: "search", does: "to the list", act: toList },
  { names: ["Escape"], where: "search", does: "empty the search, back to the list", act: emptySearch },
  { names: ["Escape"], where: "browser", does: "back to the list", act: toList },
  ...JUDGING_KEYS.filter((key) => key.names[0].length === 1),
  { names: ["?"], where: "page", does: "show these keys", act: () => openHelp() },
];
const onKey = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const found_ = KEYS.find((key) => key.names.includes(event.key) && WHERE[key.where](event.target));
  if (!found_) return;
  // The browser's own Escape, such as leaving the full screen, stays.
  if (event.key !== "Escape") event.preventDefault();
  found_.act(event);
};
