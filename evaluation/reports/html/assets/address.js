// The address of the page says what the list shows: "#show?category=trust&metric=judge/helpfulness&r=12/1/2".
// Each step in the browser's history also holds it as its state, so that a link to a section keeps the list as it is.
const SHOW = "#show";
const PAUSE = 200;
let pending = 0;

const spoken = (row) => {
  const given = Object.entries(chosen()).filter(([name, value]) => value !== untouched(name));
  if (row) given.push(["r", row.key]);
  return String(new URLSearchParams(given)).replaceAll("%2F", "/");
};
// The first row is chosen by itself and stays out of the address.
const query = () => spoken(current > 0 ? found[current] : null);
const path = (query_) => (query_ ? SHOW + "?" + query_ : "");
const ours = () => ["#show", "#r=", "#e="].some((start) => location.hash.startsWith(start));
const writeAddress = () => {
  clearTimeout(pending);
  const show = query();
  const url = path(show) || (ours() ? location.pathname + location.search : location.href);
  history.replaceState({ show }, "", url);
};
const pushAddress = () => {
  clearTimeout(pending);
  const show = query();
  history.pushState({ show }, "", path(show) || location.pathname + location.search);
};
// Later and once: browsers refuse to write an address for every key that is held down.
const noteAddress = () => {
  clearTimeout(pending);
  pending = setTimeout(writeAddress, PAUSE);
};
// The state of this step without another address: it may be an older form, or lead to a section.
const markStep = () => {
  clearTimeout(pending);
  history.replaceState({ show: query() }, "");
};
const fits = (name, value) => {
  const box = control(name);
  if (box.tagName === "SELECT") return [...box.options].some((each) => each.value === value);
  return box.type !== "number" || (value.trim() !== "" && Number.isFinite(Number(value)));
};
const chooseRow = (key) => {
  const place = found.findIndex((row) => row.key === key);
  if (place >= 0) choose(place);
  return place >= 0;
};
// Shows what a query asks for; what it names and this page does not have is passed over.
const readQuery = (query_) => {
  const given = new URLSearchParams(query_);
  clear();
  for (const name of NAMES) {
    const value = given.get(name);
    if (value !== null && fits(name, value)) set({ [name]: value });
  }
  refresh();
  chooseRow(given.get("r"));
};
const everything = () => readQuery("");
// "#e=number": the responses in which an expectation does not hold.
const readItem = () => {
  const id = data.items[Number(location.hash.slice(3))]?.[0];
  if (id === undefined || !fits("item", id)) return false;
  clear();
  set({ item: id });
  at("filters").querySelector(".more").open = true;
  refresh();
  return true;
};
const readRow = () => {
  const key = location.hash.slice(3);
  if (chooseRow(key)) return true;
  if (!rows.some((row) => row.key === key)) return false;
  everything();
  return chooseRow(key);
};
const readShow = () => {
  readQuery(location.hash.slice(SHOW.length).replace(/^\?/, ""));
  return true;
};
const READERS = { "#show": readShow, "#r=": readRow, "#e=": readItem };
const arrive = () => {
  const reader = Object.keys(READERS).find((start) => location.hash.startsWith(start));
  if (reader && READERS[reader]()) {
    at("responses").scrollIntoView();
    at("list").focus({ preventScroll: true });
  }
  markStep();
};
// A step that was made before is shown as it was, where the browser scrolls to it.
const follow = () => {
  const before = history.state?.show;
  if (typeof before !== "string") return arrive();
  readQuery(before);
  clearTimeout(pending);
};
const onLink = (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target.closest("a");
  const hash = link?.hash ?? link?.href.baseVal;
  // Where the address stays the same, the browser says nothing.
  if (!hash?.startsWith("#")) return;
  if (hash === location.hash) arrive();
  else writeAddress();
};
// Where the page may not write to the clipboard itself.
const copyMarked = (words_) => {
  const box = make("textarea");
  box.value = words_;
  at("copy").after(box);
  box.select();
  const copied = document.execCommand("copy");
  box.remove();
  at("copy").focus();
  return copied;
};
const copyLink = async () => {
  const url = location.href.split("#")[0] + (path(spoken(found[current])) || SHOW);
  let copied = true;
  try {
    await navigator.clipboard.writeText(url);
  } catch {
    copied = copyMarked(url);
  }
  at("copy").textContent = copied ? "Copied" : "Not copied";
  setTimeout(() => { at("copy").textContent = "Copy link"; }, 2000);
};
