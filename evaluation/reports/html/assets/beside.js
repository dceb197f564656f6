// Two and more responses beside each other, and the words that differ.
const WORD = /[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu;
const PLAIN_WORD = /[\p{L}\p{N}]/u;
const MOST_CELLS = 4e6;
const LEAST_ALIKE = 0.3;
// For each word of two texts, true where the other has it too, in the same order; null where they are too long to tell.
const sharedWords = (a, b) => {
  if (a.length * b.length > MOST_CELLS) return null;
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      best[i * width + j] = a[i][0] === b[j][0]
        ? best[(i + 1) * width + j + 1] + 1
        : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  const held = [a.map(() => false), b.map(() => false)];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i][0] === b[j][0]) {
      held[0][i] = held[1][j] = true;
      i += 1;
      j += 1;
    } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return held;
};
// The spans of neighbouring words that the other text does not have.
const spansOf = (tokens, held) => {
  const spans = [];
  tokens.forEach((token, place) => {
    if (held[place]) return;
    const end = token.index + token[0].length;
    if (place && !held[place - 1]) spans.at(-1)[1] = end - spans.at(-1)[0];
    else spans.push([token.index, token[0].length, "d"]);
  });
  return spans;
};
// What differs between two texts, as spans of each; null where they have too little in common, or are too long.
const differing = (one, other) => {
  const tokens = [[...one.matchAll(WORD)], [...other.matchAll(WORD)]];
  const held = sharedWords(...tokens);
  if (!held) return null;
  const plain = tokens.map((side) => side.map((token) => PLAIN_WORD.test(token[0])));
  const all = plain.flat().filter(Boolean).length;
  const alike = plain.flatMap((side, number_) => side.filter((is, place) => is && held[number_][place])).length;
  return all && alike / all < LEAST_ALIKE ? null : tokens.map((side, number_) => spansOf(side, held[number_]));
};
// One step of each side in a row, so that what answers the same message stays beside it however long the others are.
const rowOf = (steps) => {
  const [first] = steps;
  if (steps.every((step) => step?.user && step.said === first.said)) return make("div", "turns both", ...first.draw([]));
  const comparable = steps.length === 2 && steps.every((step) => step && !step.user && step.said.trim());
  const spans = comparable ? differing(first.said, steps[1].said) : null;
  const cells = steps.map((step, place) => make("div", "turns cell",
    make("b", "whose", sideName(place)),
    ...(step ? step.draw(spans?.[place] ?? []) : [make("p", "none", "Nothing at this turn.")])));
  const box = make("div", "pair", ...cells);
  box.dataset.marked = !comparable ? "" : !spans ? "no" : spans.flat().length ? "yes" : "same";
  return box;
};
const MARKED = {
  "": "", yes: "Words that the other response does not have are marked.",
  same: "Both responses have the same words.",
  no: "The responses have too few words in common to mark what differs.",
};
const OPEN_ROWS = 4;
const beside = (row) => {
  const steps = row.sides.map((side) => (side ? stepsOf(side, row.turn) : []));
  const longest = Math.max(...steps.map((each) => each.length));
  // From the end, where the response stands: a side may have less before it.
  const lines = Array.from({ length: longest }, (_, place) => rowOf(steps.map((each) => each[place - longest + each.length])));
  const [earlier, last] = [lines.slice(0, -2), lines.slice(-2)];
  const names = make("div", "pair names", ...data.sides.map((_, place) => make("b", "", sideName(place))));
  const box = make("div", row.sides.length === 2 ? "beside-turns two" : "beside-turns", names);
  if (earlier.length) {
    const count = Math.ceil(earlier.length / 2);
    const folded = make("details", "earlier", make("summary", "", count === 1 ? "1 earlier turn" : count + " earlier turns"), ...earlier);
    folded.open = earlier.length <= OPEN_ROWS;
    box.append(folded);
  }
  const said = MARKED[last.at(-1).dataset.marked];
  box.append(...last, said ? make("p", "note", said) : "");
  return box;
};
