/* What changed between two texts, line by line (a longest common subsequence). */
"use strict";

Codejury.diff = (() => {
  const { h } = Codejury;
  const LARGEST = 1500; // lines a side; beyond it the table would be too large
  const AROUND = 3;

  /** [["same" | "add" | "del", line], ...] */
  function compare(before, after) {
    const a = before.split("\n");
    const b = after.split("\n");
    if (a.length > LARGEST || b.length > LARGEST) return [...a.map((x) => ["del", x]), ...b.map((x) => ["add", x])];
    const width = b.length + 1;
    const table = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) {
        table[i * width + j] = a[i] === b[j]
          ? table[(i + 1) * width + j + 1] + 1
          : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
      }
    }
    return walk(a, b, table, width);
  }

  function walk(a, b, table, width) {
    const out = [];
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) {
        out.push(["same", a[i]]);
        i += 1;
        j += 1;
      } else if (j >= b.length || (i < a.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) {
        out.push(["del", a[i]]);
        i += 1;
      } else {
        out.push(["add", b[j]]);
        j += 1;
      }
    }
    return out;
  }

  /** Only what is near a change; a gap stands for the rest. */
  function near(rows) {
    const keep = rows.map(() => false);
    rows.forEach(([kind], index) => {
      if (kind !== "same") keep.fill(true, Math.max(0, index - AROUND), index + AROUND + 1);
    });
    const out = [];
    let hidden = 0;
    rows.forEach((row, index) => {
      if (keep[index]) {
        if (hidden) out.push(["gap", `${hidden} equal lines`]);
        hidden = 0;
        out.push(row);
      } else hidden += 1;
    });
    if (hidden) out.push(["gap", `${hidden} equal lines`]);
    return out;
  }

  function render(before, after) {
    const words = { add: "added: ", del: "removed: " };
    const rows = near(compare(before, after)).map(([kind, text]) =>
      h("span", { class: kind === "same" ? "row" : `row ${kind}` },
        words[kind] ? h("span", { class: "unseen" }, words[kind]) : null, text));
    return h("pre", { class: "diff foreign", tabindex: 0, "aria-label": "what changed" }, h("code", {}, rows));
  }

  return { compare, render };
})();
