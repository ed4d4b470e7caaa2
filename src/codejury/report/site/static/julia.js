/* Julia code in colours, line by line. It only has to be right for most code and harmless for all. */
"use strict";

Codejury.julia = (() => {
  const { h } = Codejury;
  const KEYWORDS = new Set(
    ("abstract baremodule begin break catch const continue do else elseif end export finally for function global " +
      "if import in isa let local macro module mutable primitive quote return struct try type using where while " +
      "true false nothing missing").split(" "),
  );
  // One token at a time, anchored (y): each alternative is linear in what it eats.
  const TOKEN = new RegExp(
    [
      "(?<c>#=[\\s\\S]*?(?:=#|$)|#[^\\n]*)",
      '(?<s>"""[\\s\\S]*?(?:"""|$)|"(?:\\\\[\\s\\S]|[^"\\\\])*(?:"|$)|\'(?:\\\\[^\\n]{1,6}|[^\'\\\\\\n])\')',
      "(?<d>\\b0[xbo][0-9a-fA-F_]+|\\b\\d[\\d_]*(?:\\.\\d+)?(?:[eEf][+-]?\\d+)?)",
      "(?<m>@[A-Za-z_][\\w.!]*)",
      "(?<w>[A-Za-z_\\u00a1-\\uffff][\\w\\u00a1-\\uffff!]*)",
      "(?<o>\\s+|[^\\s])",
    ].join("|"),
    "yu",
  );

  function* tokens(code) {
    TOKEN.lastIndex = 0;
    for (let match; (match = TOKEN.exec(code)); ) {
      const { c, s, d, m, w } = match.groups;
      const kind = c ? "c" : s ? "s" : d ? "d" : m ? "m" : w && KEYWORDS.has(w) ? "k" : "";
      yield [kind, match[0]];
    }
  }

  /** The lines of some code, each as a list of nodes. */
  function lines(code) {
    const rows = [[]];
    for (const [kind, text] of tokens(code)) {
      text.split("\n").forEach((piece, index) => {
        if (index) rows.push([]);
        if (piece) rows.at(-1).push(kind ? h("span", { class: kind }, piece) : piece);
      });
    }
    return rows;
  }

  /** Code with line numbers; the marked line, from 1, stands out. */
  function numbered(code, marked = 0) {
    const rows = lines(code).map((nodes, index) =>
      h("span", { class: index + 1 === marked ? "row marked" : "row" }, nodes));
    return h("pre", { class: "lines foreign", tabindex: 0, "aria-label": "Julia code" }, h("code", {}, rows));
  }

  function plain(code) {
    const nodes = lines(code).flatMap((row, index) => (index ? ["\n", ...row] : row));
    return h("code", {}, nodes);
  }

  /** Colour the code that is in the page already. */
  function colourPage() {
    for (const code of document.querySelectorAll("pre > code.julia")) {
      code.replaceChildren(...plain(code.textContent).childNodes);
    }
  }

  colourPage();
  return { lines, numbered, plain };
})();
