// Building of elements. Texts reach the page through textContent alone; nothing is ever parsed as markup.
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
