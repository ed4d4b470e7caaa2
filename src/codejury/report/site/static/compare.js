/* Two models side by side. The paired difference of every pair was estimated when the site was made. */
"use strict";

(async () => {
  const { h, s, format, load, root, readState, writeState, answerLink } = Codejury;
  const data = await load("data/compare");
  const [first, second] = [document.querySelector("#a"), document.querySelector("#b")];
  const verdict = document.querySelector("#verdict");
  const body = document.querySelector("#cases tbody");
  const SIGNIFICANT = 0.05;
  const index = new Map(data.models.map((model, at) => [model.name, at]));

  function show(state) {
    const a = index.get(state.a) ?? 0;
    const b = index.get(state.b) ?? Math.min(a === 0 ? 1 : 0, data.models.length - 1);
    [first.value, second.value] = [data.models[a].name, data.models[b].name];
    writeState({ a: data.models[a].name, b: data.models[b].name });
    verdict.replaceChildren(...absent([state.a, state.b]), ...summary(a, b));
    document.querySelector("#name-a").replaceChildren(modelLink(a));
    document.querySelector("#name-b").replaceChildren(modelLink(b));
    body.replaceChildren(...data.cases.map((one, at) => row(one, a, b, data.scores[a][at], data.scores[b][at])));
  }

  /** An address may name a model that is not here; another one in its place needs a word. */
  function absent(names) {
    return names.filter((name) => name && !index.has(name))
      .map((name) => h("p", { class: "callout" }, `${name} cannot be chosen on this page.`));
  }

  const modelLink = (at) => h("a", { href: `${root}models/${data.models[at].slug}.html` }, data.models[at].name);

  function summary(a, b) {
    if (a === b) return [h("p", {}, "Choose two different models.")];
    const turned = a > b;
    const pair = data.pairs[`${Math.min(a, b)}-${Math.max(a, b)}`];
    if (!pair) return [h("p", {}, "These two share too few test cases to be compared.")];
    const sign = turned ? -1 : 1;
    const [difference, p] = [sign * pair.difference, pair.p_value];
    const [low, high] = turned ? [-pair.high, -pair.low] : [pair.low, pair.high];
    const [wins, losses] = turned ? [pair.wins_b, pair.wins_a] : [pair.wins_a, pair.wins_b];
    return [h("dl", { class: "facts" },
      fact("Difference in points", signed(difference), "big"),
      fact(`${data.confidence} interval of this pair`, unknown(pair.low) ? "–" : `${signed(low)} to ${signed(high)}`),
      fact("Chance of this if both were alike", format.number(p, 3)),
      fact("First is better on", format.count(wins)), fact("Second is better on", format.count(losses)),
      fact("Even on", format.count(pair.ties))), h("p", {}, sentence(a, b, difference, low, high, p, pair))];
  }

  const unknown = (value) => value === null || value === undefined;
  const signed = (value) => (unknown(value) ? "–" : `${value > 0 ? "+" : ""}${value.toFixed(1)}`);

  function fact(name, value, kind = "") {
    return h("div", { class: kind }, h("dt", {}, name), h("dd", {}, value));
  }

  function sentence(a, b, difference, low, high, p, pair) {
    const [better, worse] = difference >= 0 ? [a, b] : [b, a];
    if (unknown(pair.low)) return "With so few test cases in common nothing can be said about others.";
    if (p > SIGNIFICANT) return `These test cases do not tell the two apart.${needed(pair)}${onTheBoard(a, b, difference)}`;
    const [good, bad] = [data.models[better].name, data.models[worse].name];
    return `${good} is better than ${bad} on test cases like these.${onTheBoard(a, b, difference)}`;
  }

  function needed(pair) {
    if (unknown(pair.cases_needed)) return "";
    const fewest = unknown(pair.cases_fewest) || pair.cases_fewest >= pair.cases_needed ? "" :
      ` That rests on ${format.count(pair.wins_a + pair.wins_b + pair.ties)} test cases: it may take as few as ` +
      `${format.count(pair.cases_fewest)}, and no number will do if there is no difference.`;
    return ` A difference of this size would be seen with about ${format.count(pair.cases_needed)} test cases.${fewest}`;
  }

  /** Why the board may say less than this pair alone. */
  function onTheBoard(a, b, difference) {
    const lacking = [a, b].map((at) => data.models[at]).filter((model) => model.lacks);
    if (lacking.length) return lacking.map((model) => ` ${model.name} is not ranked: it lacks ${model.lacks}.`).join("");
    if (data.ranked < 3 || unknown(data.margin)) return "";
    const sure = Math.abs(difference) > data.margin ? "is sure" : "is not sure";
    return ` That is of this pair alone. On the board of ${data.ranked} models, corrected for all pairs, their order ` +
      `${sure}: it takes more than ${format.number(data.margin)} points.`;
  }

  function row(one, a, b, x, y) {
    const difference = unknown(x) || unknown(y) ? null : x - y;
    return h("tr", {},
      h("th", { scope: "row" }, h("a", { href: `${root}cases/${one.slug}.html` }, one.name)),
      h("td", { class: "spare" }, one.category), score(one, a, x), score(one, b, y),
      h("td", { class: "n" }, signed(difference)), h("td", {}, bar(difference)));
  }

  function score(one, model, value) {
    const key = `${one.slug}/${data.models[model].slug}`;
    const text = format.number(value);
    return h("td", { class: "n" }, unknown(value) ? text : h("a", { class: "quiet", href: answerLink(key) }, text));
  }

  function bar(difference) {
    const width = Math.min(100, Math.abs(difference ?? 0)) / 2;
    return s("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "track", x: 49.8, y: 0, width: 0.4, height: 10 }),
      s("rect", { class: "full", x: difference > 0 ? 50 : 50 - width, y: 1.5, width, height: 7 }));
  }

  for (const select of [first, second]) {
    select.addEventListener("change", () => show({ a: first.value, b: second.value }));
  }
  document.querySelector("#swap").addEventListener("click", () => show({ a: second.value, b: first.value }));
  window.addEventListener("hashchange", () => location.hash.includes("=") && show(readState()));
  show(readState());
})();
