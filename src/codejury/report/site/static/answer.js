/* One answer: the address names the test case, the model, the shard and the answer in it.

   answer.html#<test case>/<model>/<part>/<id>      id empty: the first; "last": the last of the last part */
"use strict";

(() => {
  const { h, format, load, unpack, root, answerLink, julia, markdown, diff } = Codejury;
  const page = document.querySelector("#answer");
  const shards = new Map();
  let newest = 0;

  function address() {
    const [testCase = "", model = "", part = "1", ...id] = location.hash.slice(1).split("/");
    return { key: `${testCase}/${model}`, part: parseInt(part, 10) || 1, id: decoded(id.join("/")) };
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  async function shard(key, part) {
    const name = `answers/${key}.${part}`;
    if (!shards.has(name)) shards.set(name, await unpack(await load(name)));
    return shards.get(name);
  }

  /** The shard an address means, and where in it the answer is. An old address may name another part. */
  async function find({ key, part, id }) {
    let found = await shard(key, part);
    if (id === "last") {
      found = await shard(key, found.parts);
      return [found, found.answers.length - 1];
    }
    const at = found.answers.findIndex((answer) => answer.id === id);
    if (at >= 0 || !id) return [found, Math.max(at, 0)];
    const listed = found.list.find((entry) => entry[0] === id);
    if (!listed || listed[1] === part) throw new Error("this answer is no longer part of the results");
    found = await shard(key, listed[1]);
    return [found, Math.max(0, found.answers.findIndex((answer) => answer.id === id))];
  }

  async function show() {
    const run = (newest += 1);
    const wanted = address();
    if (wanted.key === "/") return complain("Choose an answer: every score on the site leads to the answers behind it.");
    try {
      const [found, at] = await find(wanted);
      if (run === newest) draw(found, at);
    } catch (error) {
      if (run === newest) complain(`The answer cannot be shown: ${error.message}.`);
    }
  }

  function complain(text) {
    page.replaceChildren(h("h1", {}, "Answer"), h("p", { role: "alert" }, text),
      h("p", {}, h("a", { href: `${root}index.html` }, "To the board")));
    page.removeAttribute("aria-busy");
  }

  /* The page, from top to bottom */

  function draw(found, at) {
    const answer = found.answers[at];
    const [testCase, model] = found.key.split("/");
    document.title = `${found.model} on ${found.test_case} · Codejury`;
    page.replaceChildren(...[
      h("p", { class: "crumbs" },
        h("a", { href: `${root}cases/${testCase}.html` }, found.test_case), " / ",
        h("a", { class: "foreign", href: `${root}models/${model}.html` }, found.model)),
      h("h1", {}, badge(answer.outcome), ` ${headline(answer)}`),
      pager(found, at), siblings(found, at), ...remarks(answer),
      h("div", { class: "split lead-part" }, reasons(found, answer), extracted(answer)),
      ...verdicts(found, answer), ...performance(answer), ...rounds(found, answer), ...conversation(answer), ...figures(answer),
    ].filter(Boolean));
    page.dataset.at = location.hash; // what is shown, which for a moment is not what is asked for
    page.removeAttribute("aria-busy");
  }

  const badge = (ending) => h("span", { class: `badge ${ending}` }, ending.replaceAll("_", " "));

  /** What became of it, in a few words. */
  function headline(answer) {
    const [passed, all] = answer.tests || [];
    if (answer.outcome === "void") return "Nothing was learned about this answer";
    if (answer.outcome === "pass") return all ? `Solved: all ${all} unit tests pass` : "Solved";
    if (answer.extraction?.rule === "none") return "There is no Julia code in it";
    if (answer.parsed === false) return "The code does not parse";
    if (answer.executed === false) return "The code does not run";
    return all ? `${passed} of ${all} unit tests pass` : "Not solved";
  }

  function pager(found, at) {
    const step = (text, href, name) => href
      ? h("a", { class: "button", href, rel: name }, text)
      : h("span", { class: "button", "aria-disabled": "true" }, text);
    return h("nav", { class: "pager", "aria-label": "Answers" },
      step("← Previous", neighbour(found, at, -1), "prev"),
      h("span", { class: "soft" }, `${format.count(found.first + at + 1)} of ${format.count(found.total)}`),
      step("Next →", neighbour(found, at, 1), "next"));
  }

  /** The address of the answer before or after; past the ends, of the next model on this test case. */
  function neighbour(found, at, step) {
    const other = found.answers[at + step];
    if (other) return answerLink(found.key, found.part, other.id);
    if (step > 0) {
      if (found.part < found.parts) return answerLink(found.key, found.part + 1);
      return found.after ? answerLink(found.after) : null;
    }
    if (found.part > 1) {
      const before = found.list.filter((entry) => entry[1] === found.part - 1).at(-1);
      return answerLink(found.key, found.part - 1, before ? before[0] : "");
    }
    return found.before ? answerLink(found.before, 1, "last") : null;
  }

  function siblings(found, at) {
    if (found.list.length < 2) return null;
    const current = found.answers[at].id;
    const chips = found.list.map(([id, part, prompt, strategy, outcome, score]) =>
      h("a", { class: `chip ${outcome}`, href: answerLink(found.key, part, id), "aria-current": id === current && "true",
        title: `${prompt}, ${strategy}`, "aria-label": `${prompt}, ${strategy}: ${outcome}, score ${format.number(score, 0)}` },
      outcome === "void" ? "void" : format.number(score, 0)));
    return h("details", {}, h("summary", {}, `All ${found.total} answers of this model to this test case`),
      h("div", { class: "chips" }, chips));
  }

  /** Figures, versions and files: for those who ask how it was made. */
  function figures(answer) {
    return [h("h2", { id: "figures" }, "Figures and files"), facts(answer)];
  }

  function facts(answer) {
    const known = [
      ["Score", answer.outcome === "void" ? "void" : format.number(answer.score), "big"],
      ["Unit tests", ratio(answer.tests), "big"], ["Examples", ratio(answer.examples), "big"],
      ["Parses", yes(answer.parsed)], ["Runs", yes(answer.executed)],
      ["Cost", format.money(answer.cost)], ["Time", format.seconds(answer.elapsed)],
      ["Tokens asked", format.count(answer.tokens?.[0])], ["Tokens answered", format.count(answer.tokens?.[1])],
      ["Prompt", answer.prompt], ["Strategy", answer.strategy], ["Experiment", answer.experiment], ["Device", answer.device],
      ["Seed", answer.seed], ["Sample", answer.sample === undefined ? null : answer.sample + 1],
      ["Stopped because", answer.finish_reason], ["Failed requests before", answer.retries || null],
      ["Asked", format.moment(answer.time)], ["Judged", answer.judged_at?.replace("T", " ").replace("Z", " UTC")],
      ["Asked for Julia", answer.asked_julia], ["Julia", answer.julia], ["Sandbox", answer.sandbox], ["Judging rules", answer.rules],
      ["Codejury", answer.codejury], ["Asked by", answer.program],
      ["Parameters", answer.parameters && Object.entries(answer.parameters).map(([k, v]) => `${k} ${JSON.stringify(v)}`).join(", "), "wide"],
      ["File", answer.file, "wide mono"],
    ];
    const there = known.filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== "–");
    return h("dl", { class: "facts foreign" },
      there.map(([name, value, kind]) => h("div", { class: kind }, h("dt", {}, name), h("dd", {}, String(value)))));
  }

  const yes = (value) => (value === undefined ? null : value ? "yes" : "no");
  const ratio = (pair) => (pair && pair[1] !== null ? `${pair[0]} of ${pair[1]}` : null);

  function remarks(answer) {
    const told = [];
    if (answer.outcome === "void") told.push(`Void: ${answer.void_reason || "nothing was learned about this answer"}. It counts in no score.`);
    for (const attempt of answer.tampering || []) told.push(`It interfered with the judge: ${attempt}. No unit test counts.`);
    if ((answer.missing_packages || []).length) told.push(`Not installed: ${answer.missing_packages.join(", ")}.`);
    for (const note of answer.notes || []) told.push(`A note on how it was run: ${note}.`);
    if (answer.shortened) told.push("Too long to be shown whole. The file named above holds all of it.");
    if (answer.problem) told.push(`Part of it is missing here: ${answer.problem}.`);
    return told.map((text) => h("div", { class: "callout foreign" }, h("p", {}, text)));
  }

  /* Verdicts */

  const KINDS = { main: "Main code", example: "Example", unit_test: "Unit test" };

  const MOST_REASONS = 3;
  const wentWrong = ([, , ending]) => ending !== "passed" && ending !== "not_run";

  /** Why it lost points: the kind of failure, and the first blocks that went wrong. */
  function reasons(found, answer) {
    const wrong = (answer.blocks || []).filter(wentWrong);
    if (!answer.failure && !wrong.length) return null;
    const more = wrong.length - MOST_REASONS;
    return h("section", { class: "reasons" }, h("h2", {}, "Why it fails"),
      answer.failure ? h("p", { class: "foreign" }, h("strong", {}, `${capital(answer.failure[0])}. `), answer.failure[1]) : null,
      ...wrong.slice(0, MOST_REASONS).map((block) => reason(found, block)),
      more > 0 ? h("p", {}, h("a", { href: "#verdicts", class: "jump" }, `${more} more below`)) : null);
  }

  function reason(found, [kind, index, ending, type, message, line]) {
    const error = [type, message].filter(Boolean).join(": ");
    return h("div", { class: "reason" },
      h("p", {}, h("strong", {}, blockName(kind, index)), " ", badge(ending), line ? ` in line ${line}` : ""),
      codeOf(found, kind, index), error ? h("div", { class: "error mono foreign" }, error) : null);
  }

  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const blockName = (kind, index) => (kind === "main" ? KINDS.main : `${KINDS[kind] || kind} ${index + 1}`);

  function codeOf(found, kind, index) {
    const codes = { example: found.examples, unit_test: found.tests }[kind] || [];
    return codes[index] ? h("pre", { class: "foreign", tabindex: 0, "aria-label": "Julia code" }, julia.plain(codes[index].trim())) : null;
  }

  function verdicts(found, answer) {
    if (!answer.blocks) {
      return answer.problem ? [] : [h("h2", { id: "verdicts" }, "Verdicts"),
        h("p", {}, "The stored evaluation holds counts only; what became of single tests was not recorded.")];
    }
    const rows = answer.blocks.map((block) => verdict(found, block));
    const head = ["What", "Verdict", "Code and error", "Line", "Time"].map((text, index) =>
      h("th", { scope: "col", class: index > 2 ? "n" : null }, text));
    const passed = answer.blocks.filter((block) => block[2] === "passed").length;
    return [h("h2", { id: "verdicts" }, "Verdicts"),
      h("details", {}, h("summary", {}, `${passed} of ${rows.length} blocks passed: see each`),
        h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Verdicts" },
          h("table", { class: "verdicts" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)))),
      ...(answer.output ? [h("h3", {}, "What it printed"), h("pre", { class: "wrap foreign" }, answer.output)] : [])];
  }

  function verdict(found, [kind, index, ending, type, message, line, seconds]) {
    const error = [type, message].filter(Boolean).join(": ");
    const ran = ending !== "not_run" && !(message || "").startsWith("not tried: ");
    return h("tr", {}, h("th", { scope: "row" }, blockName(kind, index)), h("td", {}, badge(ending)),
      h("td", {}, codeOf(found, kind, index),
        error ? h("div", { class: "error mono foreign" }, error) : null),
      h("td", { class: "n" }, line ?? ""), h("td", { class: "n" }, ran ? format.seconds(seconds) : ""));
  }

  /** How fast it is beside the reference solution: recorded, and worth no points. */
  function performance({ performance: told }) {
    if (!told) return [];
    const title = h("h2", { id: "performance" }, "Speed");
    if (told.speed === null) {
      const where = told.failed ? `statement ${told.failed}: ` : "";
      return [title, h("p", { class: "foreign" }, `Not measured: ${where}${told.not_measured}.`)];
    }
    const heads = ["Statement", "Speed", "Time", "Bytes", "Bytes, reference", "Inferred"].map((text, index) =>
      h("th", { scope: "col", class: index ? "n" : null }, text));
    const rows = told.statements.map((one) => h("tr", {}, h("td", {}, h("pre", { class: "foreign" }, julia.plain(one.statement.trim()))),
      [`${format.times(one.speed)}${one.spread > 0.1 ? " noisy" : ""}`, `${format.number(1e6 * one.seconds)} µs`,
        format.count(one.allocated), format.count(one.reference_allocated), yes(one.inferred ?? undefined) ?? "–"]
        .map((text) => h("td", { class: "n" }, text))));
    return [title,
      h("p", {}, `${format.times(told.speed)} as fast as the reference solution, the median of the statements` +
        `${told.noisy ? "; noisy: judged again it may differ by more than a tenth" : ""}. It is worth no points.`),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Speed" },
        h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)))];
  }

  /* Code */

  const RULES = {
    all: "all code blocks together",
    defining: "the block that defines the name asked for, since all blocks together do not run",
    last_defining: "the last block that defines the name asked for, since the others do not run",
    none: "none: there is no Julia code in the answer",
  };

  function extracted(answer) {
    const { extraction } = answer;
    if (!extraction) return null;
    const used = (extraction.blocks_used || []).map((index) => index + 1).join(", ") || "none";
    const dropped = [];
    const longer = (extraction.extended || []).map((index) => index + 1).join(", ");
    if (longer) dropped.push(`Goes on past a fence inside a string or a comment: ${longer}.`);
    if (extraction.dropped_imports?.length) dropped.push(`Imports taken out: ${extraction.dropped_imports.join(", ")}.`);
    if (extraction.dropped_tests) dropped.push(`Tests of its own taken out: ${extraction.dropped_tests}.`);
    const failed = (answer.blocks || []).find((block) => block[0] === "main" && block[2] !== "passed");
    return h("section", { class: "judged" }, h("h2", {}, "The code that was run"),
      extraction.code ? julia.numbered(extraction.code, failed?.[5] ?? 0) : h("p", { class: "soft" }, "No code."),
      h("p", { class: "foreign soft" }, `Rule “${extraction.rule}”: ${RULES[extraction.rule] || "see the judging rules"}. ` +
        `Blocks found: ${extraction.blocks_found}; used: ${used}. ${dropped.join(" ")}`));
  }

  function rounds(found, answer) {
    const asked = (answer.messages || []).map(([role], index) => (role === "assistant" ? index : -1)).filter((at) => at >= 0);
    if (asked.length < 2) return [];
    const tries = asked.map((at) => ({
      code: markdown.code(answer.messages[at][1], answer.extended_spans?.[at]), judged: judgedAs(found, answer, at) }));
    const parts = tries.flatMap(({ code, judged }, round) => {
      const title = h("h3", {}, round ? `Repair round ${round} ` : "First try ", judged ? badge(judged.outcome) : null);
      const link = judged && judged !== answer
        ? h("p", {}, h("a", { href: answerLink(found.key, found.part, judged.id) },
          `Score ${format.number(judged.score)}: see its verdicts`)) : null;
      const shown = round ? diff.render(tries[round - 1].code, code) : julia.numbered(code);
      return [title, link, shown].filter(Boolean);
    });
    return [h("h2", {}, "Repair"), h("p", {}, "What the model changed after it was told what went wrong."), ...parts];
  }

  /** The answer of this shard whose conversation ends where this one had the given message. */
  function judgedAs(found, answer, at) {
    const wanted = JSON.stringify(answer.messages.slice(0, at + 1));
    return found.answers.find((other) =>
      other.messages?.length === at + 1 && JSON.stringify(other.messages) === wanted) || null;
  }

  /* Conversation */

  const WHO = { system: "Instructions", user: "Asked", assistant: "Answered", other: "Message" };

  function conversation(answer) {
    if (!answer.messages) {
      return answer.problem ? [] : [h("h2", {}, "Conversation"), h("p", {}, "Only the evaluation was stored, not the conversation.")];
    }
    const shown = (index, raw) => content(answer.messages[index][1], answer.extended_spans?.[index], raw);
    const boxes = answer.messages.map(([role], index) =>
      message(role, shown(index, false), answer.thoughts?.[index]));
    const raw = h("button", { class: "button", type: "button", "aria-pressed": "false" }, "As plain text");
    raw.addEventListener("click", () => {
      const on = raw.getAttribute("aria-pressed") !== "true";
      raw.setAttribute("aria-pressed", String(on));
      boxes.forEach((box, index) => box.lastChild.replaceChildren(shown(index, on)));
    });
    return [h("h2", {}, "Conversation"), h("p", {}, raw), ...boxes];
  }

  function message(role, shown, thought) {
    const header = h("header", {}, WHO[role] || role);
    const parts = thought ? [header, folded(thought), h("div", {}, shown)] : [header, h("div", {}, shown)];
    return h("section", { class: `message ${role}` }, ...parts);
  }

  /** What a model said to itself: never judged, and shown to those who ask. */
  function folded(thought) {
    return h("details", {}, h("summary", {}, "Thought before"), h("pre", { class: "wrap foreign" }, String(thought)));
  }

  function content(text, spans, raw) {
    if (!text) return h("p", { class: "soft" }, "(empty)");
    return raw ? h("pre", { class: "wrap foreign" }, text) : markdown.render(text, spans);
  }

  // Within the page: the address after the # names the answer, so a link may not change it.
  page.addEventListener("click", (event) => {
    const link = event.target.closest("a.jump");
    if (!link) return;
    event.preventDefault();
    const title = document.querySelector(link.getAttribute("href"));
    title.scrollIntoView();
    const folded = title.nextElementSibling;
    if (folded?.tagName === "DETAILS") folded.open = true;
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, [contenteditable]");
    if (typing || event.altKey || event.ctrlKey || event.metaKey) return;
    const rel = { ArrowLeft: "prev", k: "prev", ArrowRight: "next", j: "next" }[event.key];
    const scrolls = event.key.startsWith("Arrow") && event.target.closest("pre, .scroll");
    if (rel && !scrolls) page.querySelector(`a[rel="${rel}"]`)?.click();
  });
  window.addEventListener("hashchange", () => {
    if (location.hash.includes("/")) {
      show();
      scrollTo(0, 0);
    }
  });
  show();
})();
