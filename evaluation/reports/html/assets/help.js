// The help on keys, from their table.
const KEY_SIGNS = { ArrowDown: "↓", ArrowUp: "↑", PageDown: "Page ↓", PageUp: "Page ↑", Escape: "Esc", " ": "Space" };
const PLACES = { page: "Anywhere but in a field", list: "In the list", search: "In the search", browser: "Among the responses", judging: "Judging a response" };
const openHelp = () => {
  const parts = Object.entries(PLACES).flatMap(([where, title]) => {
    const keys = KEYS.filter((key) => key.where === where);
    const lines = keys.map(({ names, does }) => {
      const signs = names.flatMap((name) => [make("kbd", "", KEY_SIGNS[name] ?? name), " "]);
      return make("div", "", make("dt", "", ...signs), make("dd", "", does));
    });
    return lines.length ? [make("div", "place", make("h3", "", title), make("dl", "", ...lines))] : [];
  });
  at("keys").replaceChildren(...parts);
  at("help").showModal();
};
