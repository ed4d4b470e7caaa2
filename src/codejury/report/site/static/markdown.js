/* Markdown to elements: what models write of it, and nothing that could do something.

   HTML stays text, pictures are not loaded, and a link goes to the web or stays text.

   Ours, and no library, for two reasons. markdown-it and highlight.js hand back HTML as text, as do markdown-it-py
   and Pygments when a site is built: a page would have to turn text that came from a model into markup, which its
   policy forbids altogether (trusted types), and the library's escaping would be all that stands in between. Here
   elements are made one by one. And this file and julia.js are 12 KB as they are; measured, minified, markdown-it 15.0
   is 101 KB, and the core of highlight.js 11.12 with Julia 25 KB. */
"use strict";

Codejury.markdown = (() => {
  const { h, julia } = Codejury;
  const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
  const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/;
  const RULE = /^ {0,3}(?:(?:\*\s*){3,}|(?:-\s*){3,}|(?:_\s*){3,})$/;
  const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+)(.*)$/;
  const QUOTE = /^ {0,3}> ?(.*)$/;
  const TABLE_RULE = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
  const DEEPEST = 6;
  const LONGEST = 300000;
  const LONGEST_SPAN = 4000;
  const FENCED = /^ {0,3}(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)^ {0,3}\1/gm;
  const SHIELD = "\u{10FFFF}"; // a character that means nothing, and occurs in no text

  /** A fragment for a text; texts too long to be read are shown as they are. `spans`: see `shielded`. */
  function render(text, spans) {
    if (text.length > LONGEST) return h("pre", { class: "wrap foreign" }, text);
    const box = h("div", { class: "foreign" });
    box.append(...blocks(shielded(text, spans), 0));
    return box;
  }

  /** The lines of a text. A fence inside the string of a block does not end it: the judge says which blocks, each from
      the line of its first fence to the line after its last, and what looks like a fence between is marked. */
  function shielded(text, spans = []) {
    const lines = text.replace(/\r\n?/g, "\n").split("\n");
    for (const [first, after] of spans) {
      const last = /^[\s>]*(`{3,}|~{3,})\s*$/.test(lines[after - 1] ?? "") ? after - 1 : after;
      for (let at = first + 1; at < Math.min(last, lines.length); at += 1) {
        lines[at] = lines[at].replace(/^([\s>]*)(?=```|~~~)/, `$1${SHIELD}`);
      }
    }
    return lines;
  }

  const unshielded = (text) => text.replaceAll(SHIELD, "");

  /** The code in the fenced blocks of a text, or the text if it has none. */
  function code(text, spans) {
    const found = [...shielded(text, spans).join("\n").matchAll(FENCED)].map((match) => unshielded(match[2]));
    return (found.length ? found.join("\n") : text).trim();
  }

  function blocks(lines, depth) {
    const out = [];
    let at = 0;
    while (at < lines.length) {
      const [node, next] = block(lines, at, depth);
      if (node) out.push(node);
      at = Math.max(next, at + 1);
    }
    return out;
  }

  /** The block that begins at a line, and the line after it. */
  function block(lines, at, depth) {
    const line = lines[at];
    if (!line.trim()) return [null, at + 1];
    const fence = FENCE.exec(line);
    if (fence) return fenced(lines, at, fence);
    const heading = HEADING.exec(line);
    if (heading) {
      const level = Math.min(6, heading[1].length + 3);
      return [h(`h${level}`, {}, inline(heading[2].replace(/\s+#+\s*$/, ""))), at + 1];
    }
    if (RULE.test(line)) return [h("hr"), at + 1];
    if (depth < DEEPEST && QUOTE.test(line)) return quoted(lines, at, depth);
    if (depth < DEEPEST && ITEM.test(line)) return listed(lines, at, depth);
    if (line.includes("|") && TABLE_RULE.test(lines[at + 1] || "")) return tabled(lines, at);
    return paragraph(lines, at, depth);
  }

  function fenced(lines, at, [, marks, info]) {
    const close = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}\\s*$`);
    let end = at + 1;
    while (end < lines.length && !close.test(lines[end])) end += 1;
    const code = unshielded(lines.slice(at + 1, end).join("\n"));
    const tag = info.trim().split(/\s/)[0].toLowerCase();
    const isJulia = tag === "" || tag.startsWith("julia") || tag === "jl";
    const label = tag ? `code, ${tag}` : "code";
    const content = isJulia ? julia.plain(code) : h("code", {}, code);
    return [h("pre", { class: "foreign", tabindex: 0, "aria-label": label }, content), end + 1];
  }

  function quoted(lines, at, depth) {
    let end = at;
    const inner = [];
    for (let match; end < lines.length && (match = QUOTE.exec(lines[end])); end += 1) inner.push(match[1]);
    return [h("blockquote", {}, blocks(inner, depth + 1)), end];
  }

  function listed(lines, at, depth) {
    const first = ITEM.exec(lines[at]);
    const ordered = /\d/.test(first[2]);
    const items = [];
    let end = at;
    while (end < lines.length) {
      const match = ITEM.exec(lines[end]);
      if (!match || /\d/.test(match[2]) !== ordered || RULE.test(lines[end])) break;
      const indent = match[1].length + match[2].length + Math.min(match[3].length, 4);
      const inner = [match[4]];
      for (end += 1; end < lines.length && belongs(lines, end, indent); end += 1) {
        inner.push(lines[end].replace(new RegExp(`^ {0,${indent}}`), ""));
      }
      items.push(h("li", {}, tight(blocks(inner, depth + 1))));
    }
    const start = ordered ? parseInt(first[2], 10) : 1;
    return [h(ordered ? "ol" : "ul", { start: start === 1 ? null : start }, items), end];
  }

  /** Whether a line goes on with the item: it is indented, or empty before an indented one, or lazy text. */
  function belongs(lines, at, indent) {
    const line = lines[at];
    const deep = (text) => /^ */.exec(text)[0].length >= Math.min(indent, 2);
    if (!line.trim()) return at + 1 < lines.length && lines[at + 1].trim() !== "" && deep(lines[at + 1]);
    return deep(line) || !(ITEM.test(line) || FENCE.test(line) || HEADING.test(line) || !lines[at - 1].trim());
  }

  function tight(nodes) {
    return nodes.length === 1 && nodes[0].tagName === "P" ? [...nodes[0].childNodes] : nodes;
  }

  function cells(line) {
    return line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  }

  function tabled(lines, at) {
    const head = cells(lines[at]);
    const rows = [];
    let end = at + 2;
    for (; end < lines.length && lines[end].includes("|"); end += 1) rows.push(cells(lines[end]));
    const body = rows.map((row) => h("tr", {}, head.map((_, index) => h("td", {}, inline(row[index] || "")))));
    const top = h("tr", {}, head.map((cell) => h("th", { scope: "col" }, inline(cell))));
    return [h("table", {}, h("thead", {}, top), h("tbody", {}, body)), end];
  }

  function paragraph(lines, at, depth) {
    let end = at + 1;
    while (end < lines.length && lines[end].trim() && !starts(lines[end], depth)) end += 1;
    return [h("p", {}, inline(lines.slice(at, end).map((line) => line.trim()).join("\n"))), end];
  }

  function starts(line, depth) {
    return FENCE.test(line) || HEADING.test(line) || (depth < DEEPEST && (QUOTE.test(line) || ITEM.test(line)));
  }

  // Anchored (y), and every run is bounded: a hostile line cannot make it slow.
  const SPAN = new RegExp(
    [
      "\\\\(?<escaped>[!-/:-@\\[-`{-~])",
      "!\\[(?<alt>[^\\]\\n]{0,300})\\]\\([^)\\s]{0,2000}[^)\\n]{0,200}\\)",
      "\\[(?<label>[^\\]\\n]{1,300})\\]\\((?<href>[^)\\s]{1,2000})[^)\\n]{0,200}\\)",
      "\\*\\*(?<strong>[^*\\n]{1,1000})\\*\\*",
      "\\*(?<em>[^*\\s][^*\\n]{0,1000})\\*",
    ].join("|"),
    "yu",
  );

  function inline(text) {
    const out = [];
    let plain = "";
    const flush = () => {
      if (plain) out.push(plain);
      plain = "";
    };
    for (let at = 0; at < text.length; ) {
      const letter = text[at];
      SPAN.lastIndex = at;
      const match = "\\![*".includes(letter) ? SPAN.exec(text) : null;
      if (letter === "`") {
        const [code, next] = codeSpan(text, at);
        if (code === null) plain += text.slice(at, next);
        else {
          flush();
          out.push(h("code", {}, code));
        }
        at = next;
      } else if (match) {
        flush();
        out.push(span(match));
        at += match[0].length;
      } else {
        plain += letter;
        at += 1;
      }
    }
    flush();
    return out;
  }

  /** Code between two runs of as many backticks, and where to go on; null if the run is not closed. */
  function codeSpan(text, at) {
    const marks = /`+/y;
    marks.lastIndex = at;
    const [run] = marks.exec(text);
    const start = at + run.length;
    const near = text.slice(start, start + LONGEST_SPAN); // or many open runs would each search the whole text
    for (let end = near.indexOf(run); end >= 0; ) {
      let after = end;
      while (near[after] === "`") after += 1;
      if (after - end === run.length) return [near.slice(0, end).replaceAll("\n", " ").trim(), start + after];
      end = near.indexOf(run, after);
    }
    return [null, start];
  }

  function span(match) {
    const { escaped, alt, label, href, strong, em } = match.groups;
    if (escaped !== undefined) return escaped;
    if (alt !== undefined) return h("em", {}, `[picture: ${alt}]`);
    if (label !== undefined) return link(label, href, match[0]);
    return strong !== undefined ? h("strong", {}, strong) : h("em", {}, em);
  }

  function link(label, href, source) {
    if (!/^https?:\/\/[^\s]+$/i.test(href)) return source;
    return h("a", { href, rel: "noopener noreferrer nofollow" }, label);
  }

  return { render, code };
})();
