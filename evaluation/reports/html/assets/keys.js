// Keys and links.
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
