// The browser of responses begins.
if (!rows.length) {
  at("responses").append(make("p", "none", "No exchange of this run has a result."));
  return;
}
fillControls();
fillChips();
at("browser").hidden = false;
at("filters").addEventListener("input", refreshSoon);
at("filters").addEventListener("reset", (event) => {
  event.preventDefault();
  step(clear);
});
at("filters").addEventListener("submit", (event) => event.preventDefault());
at("list").addEventListener("click", (event) => {
  const item = event.target.closest("li[id]");
  if (item) choose(Number(item.id.slice(1)), false);
});
at("list").addEventListener("scroll", () => {
  const list = at("list");
  if (list.scrollTop + list.clientHeight > list.scrollHeight - 400) draw(drawn + PAGE);
}, { passive: true });
at("copy").addEventListener("click", copyLink);
at("show-keys").addEventListener("click", openHelp);
at("close-help").addEventListener("click", () => at("help").close());
document.addEventListener("keydown", onKey);
document.addEventListener("click", onLink);
addEventListener("popstate", follow);
startJudging();
refresh();
follow();
