// What was said up to a response, step by step.
const bubble = (role, body, name) => make("div", name, make("span", "who", role), ...body);
const saidBy = (role) => (role === "user" ? "user" : "assistant");
// The quotes that stand in the response to a turn, each with the outcome that it shows.
const quotesAt = (side, turn) => answersOf(side)
  .filter(([, , , quote, at_]) => quote >= 0 && at_ === turn)
  .map(([, outcome, , quote]) => [text(quote), outcome]);
// Calls of tools, each with what came back.
const called = (calls) => calls.map(([name, given, result]) => bubble(
  "calls " + line(name),
  [make("div", "", shown(text(given))), make("div", "", make("b", "", "result"), " ", result < 0 ? make("i", "none", "(none)") : shown(text(result)))],
  "assistant",
));
// What was said up to a response, step by step: whose words, and how they are drawn with spans marked.
const stepsOf = (side, turn) => {
  const earlier = side.c ?? [];
  const steps = earlier.map(([role, place, ...calls], number_) => {
    const answered_ = role === "assistant" ? turn - (earlier.length - number_ + 1) / 2 : 0;
    const spans = answered_ > 0 ? quoted(text(place), quotesAt(side, answered_)) : [];
    return {
      user: role === "user", said: text(place),
      draw: (more) => [...called(calls), bubble(role, [shown(text(place), "said", [...spans, ...more])], saidBy(role))],
    };
  });
  steps.push({ user: true, said: text(side.i), draw: () => [bubble("user", [shown(text(side.i))], "user")] });
  steps.push({ user: false, said: side.p ? "" : text(side.r), draw: (more) => [...called(side.t ?? []), ...responseOf(side, turn, more)] });
  return steps;
};
const responseOf = (side, turn, more) => {
  const bubbles = [];
  if (side.r === undefined) bubbles.push(bubble("no response", [side.s], "lost"));
  else if (side.p) bubbles.push(bubble("response", side.p.map(([label, place]) => make("div", "", make("b", "", line(label)), " ", shown(text(place)))), "judged"));
  else {
    const spans = [...quoted(text(side.r), quotesAt(side, turn)), ...more];
    bubbles.push(bubble("response", [text(side.r).trim() ? shown(text(side.r), "said", spans) : make("i", "none", "(empty)")], "judged"));
  }
  if (side.a !== undefined) bubbles.push(bubble("as it came", [shown(text(side.a))], "assistant"));
  return bubbles;
};
const conversation = (side, turn) => make("div", "turns", ...stepsOf(side, turn).flatMap((step) => step.draw([])));
