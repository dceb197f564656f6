// What a person says of the responses: kept in this browser under the ids of the runs, and in the form of its export.
const judging = data.judging ?? null;
const paired = judging?.kind === "preference";
const STORE = judging ? "judgements of " + judging.runs.join(" and ") : "";
const SAYS = { judgement: ["keep", "flag", "neither"], answer: ["first", "second", "tie"] };
// Place of a response -> the line of its export.
const said = new Map();
let blind = false;
// False where the browser keeps nothing: then all of it is in this window alone.
let stored = true;

const placeOf = (row) => JSON.stringify([row.scenario.id, row.repeat, ...(paired ? [] : [row.turn])]);
const saidOf = (row) => said.get(placeOf(row));
// Answers are preferred where both runs have one, and whole conversations at their last turn.
const mayBeJudged = (row) => judging !== null && row.sides.every((side) => side?.h)
  && (!paired || (row.turn === row.scenario.turns && row.sides[0].h !== row.sides[1].h));
const isJudged = (line_) => Boolean(line_) && (paired ? line_.answer !== null : line_.judgement !== "neither" || line_.rating !== null);
// A line without anything said, to begin with.
const begun = (row) => {
  const common = { schema_version: 1, kind: judging.kind };
  const place = { scenario_id: row.scenario.id, repeat: row.repeat };
  if (paired) {
    const [base, candidate] = judging.runs;
    const digests = { base_sha256: row.sides[0].h, candidate_sha256: row.sides[1].h };
    return { ...common, base, candidate, ...place, ...digests, shown_first: "base", answer: null, comment: "" };
  }
  const bound_ = { content_sha256: row.lead.h, rubric_sha256: judging.rubric };
  return { ...common, run_id: judging.runs[0], ...place, turn: row.turn, ...bound_, judgement: "neither", rating: null, comment: "" };
};

// --- kept in the browser ---------------------------------------------------------------------------------------------

// Any page on this disk can write there, so that only what this page could have written is read.
const isOwn = (line_) => {
  const texts = ["scenario_id", "comment", "at", ...(paired ? ["base_sha256", "candidate_sha256"] : ["content_sha256", "rubric_sha256"])];
  const runs = paired ? [line_?.base, line_?.candidate] : [line_?.run_id];
  return typeof line_ === "object" && line_ !== null && line_.kind === judging.kind
    && runs.join("\n") === judging.runs.join("\n") && texts.every((name) => typeof line_[name] === "string")
    && line_.comment.length <= judging.longest && typeof line_.blind === "boolean" && Number.isInteger(line_.repeat)
    && (paired
      ? [null, ...SAYS.answer].includes(line_.answer) && ["base", "candidate"].includes(line_.shown_first)
      : Number.isInteger(line_.turn) && SAYS.judgement.includes(line_.judgement)
        && [null, ...judging.grades.map(([key]) => key)].includes(line_.rating));
};
const readStored = () => {
  try {
    const kept = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    said.clear();
    for (const line_ of Array.isArray(kept) ? kept.filter(isOwn) : []) {
      said.set(JSON.stringify([line_.scenario_id, line_.repeat, ...(paired ? [] : [line_.turn])]), line_);
    }
    localStorage.setItem(STORE + ", tried", "yes");
    localStorage.removeItem(STORE + ", tried");
  } catch (problem) {
    // What is no JSON was written by somebody else, and is written over.
    stored = problem instanceof SyntaxError;
  }
};
const readBlind = () => {
  try {
    return localStorage.getItem(STORE + ", blind") === "yes";
  } catch {
    return false;
  }
};
const store = () => {
  try {
    localStorage.setItem(STORE, JSON.stringify([...said.values()]));
    localStorage.setItem(STORE + ", blind", blind ? "yes" : "no");
    stored = true;
  } catch {
    stored = false;
  }
};

// --- exported --------------------------------------------------------------------------------------------------------

// One line of JSON for each response; half a character, which no file in UTF-8 can hold, is replaced.
const exported = () => [...said.values()].filter((line_) => !paired || isJudged(line_))
  .map((line_) => JSON.stringify({ ...line_, comment: line_.comment.replace(/\p{Cs}/gu, "\ufffd") }) + "\n").join("");

// --- shuffled --------------------------------------------------------------------------------------------------------

// A number from 0 up to 1 for a text, the same in every browser.
const lotOf = (words_) => {
  let mixed = 2166136261;
  for (const char of STORE + words_) mixed = Math.imul(mixed ^ char.codePointAt(0), 16777619);
  for (const [shift, factor] of [[16, 0x85ebca6b], [13, 0xc2b2ae35], [16, 1]]) mixed = Math.imul(mixed ^ (mixed >>> shift), factor);
  return (mixed >>> 0) / 2 ** 32;
};
const isTurned = (row) => blind && paired && lotOf("side " + placeOf(row)) < 0.5;
const sideName = (place) => (blind ? "Response " + (place + 1) : line(data.sides[place].name));

// --- in the list -----------------------------------------------------------------------------------------------------

const SHUFFLED = judging ? { shuffled: ["Shuffled", () => (a, b) => lotOf(placeOf(a)) - lotOf(placeOf(b)) || a.order - b.order] } : {};
const JUDGED = judging ? {
  unjudged: ["Not yet judged by you", (row) => mayBeJudged(row) && !isJudged(saidOf(row))],
  judged: ["Judged by you", (row) => isJudged(saidOf(row))],
  ...(paired ? {} : { flagged: ["Flagged by you", (row) => saidOf(row)?.judgement === "flag"] }),
} : {};
const judgementTag = (line_) => {
  if (paired) return line_.answer === null ? "" : line_.answer === "tie" ? "tie" : blind ? "judged" : "prefers " + line(data.sides[preferred(line_)].name);
  const parts = [{ keep: "kept", flag: "flagged", neither: "" }[line_.judgement], line_.rating ? "rated " + line_.rating : ""];
  return parts.filter(Boolean).join(", ") || "comment";
};
const preferred = (line_) => Number((line_.answer === "second") === (line_.shown_first === "base"));
const markJudged = (item, row) => {
  item.querySelector(".mine")?.remove();
  const line_ = mayBeJudged(row) ? saidOf(row) : undefined;
  const words_ = line_ ? judgementTag(line_) : "";
  const tone = { keep: " up", flag: " bad" }[line_?.judgement] ?? "";
  if (words_) item.querySelector(".top").append(make("span", "mine tag" + tone, words_));
};
