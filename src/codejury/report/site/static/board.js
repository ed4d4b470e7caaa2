/* The board: sort, filter, choose columns, share, download.

   Every number comes from the program. A filter on level, kind, prompt, category or experiment changes what is
   counted, so it shows another table that was made with the site (a "view"); nothing is estimated here. */
"use strict";

(async () => {
  const { h, s, breakable, format, load, root, readState, writeState } = Codejury;
  const table = document.querySelector("table.board");
  const status = document.querySelector("#status");
  const board = await load("data/board");
  const byKey = new Map(board.columns.map((column) => [column.key, column]));
  const usual = board.columns.filter((column) => column.shown).map((column) => column.key);
  const controls = {
    q: document.querySelector("#q"),
    provider: document.querySelector("#provider"),
    level: document.querySelector("#level"),
    kind: document.querySelector("#kind"),
    prompt: document.querySelector("#prompt"),
    category: document.querySelector("#category"),
    experiment: document.querySelector("#experiment"),
  };
  const notes = document.querySelector("#notes");
  const unfold = document.querySelector("#unfold");
  const filterButton = document.querySelector("#filter-button");
  const MADE = { interval: ["low", "high"], rank: ["rank_low", "rank_high"] };
  const PARTS = ["level", "kind", "prompt", "category", "experiment"];
  let state = {};
  let view = null;
  let shown = [];
  let newest = 0;
  let refused = "";
  let details = null; // what opens below the rows, once somebody asked for it
  const embedded = document.documentElement.classList.contains("embed");

  const viewKey = (wanted) => PARTS.map((part) => wanted[part] ?? "").join("\u0000");
  const columns = () => (state.columns ? state.columns.split(",").filter((key) => byKey.has(key)) : usual);
  const sortColumn = () => (byKey.has(state.sort) ? state.sort : "solved");
  const risesByNature = () => ["text", "rank"].includes(byKey.get(sortColumn()).kind);
  const descending = () => (state.direction ? state.direction === "down" : !risesByNature());

  /** The state of the address; a combination without a view falls back to its first part, and says so. */
  function normalised(wanted) {
    refused = "";
    if (viewKey(wanted) in board.views) return wanted;
    const asked = PARTS.filter((part) => wanted[part]).map((part) => `${part} ${wanted[part]}`).join(", ");
    refused = board.left_out
      ? `Not part of this site, or without answers: ${asked}. It holds the boards of ` +
        `${Object.keys(board.views).length} combinations of filters; ${board.left_out} more are left out. `
      : `No answers: ${asked}. `;
    const kept = PARTS.find((part) => wanted[part] && viewKey({ [part]: wanted[part] }) in board.views);
    const cleared = Object.fromEntries(PARTS.map((part) => [part, ""]));
    return { ...wanted, ...cleared, ...(kept ? { [kept]: wanted[kept] } : {}) };
  }

  async function show(next) {
    const run = (newest += 1);
    const wanted = normalised(next);
    const found = await load(`data/view-${board.views[viewKey(wanted)]}`);
    const more = wanted.row ? await load("data/rows") : details;
    if (run !== newest) return; // a later choice was faster
    [state, view, details] = [wanted, found, more];
    writeState(state);
    fillControls();
    draw();
  }

  const change = (some) => show({ ...state, ...some });

  function fillControls() {
    for (const [name, control] of Object.entries(controls)) {
      const isTyping = control === controls.q && control === document.activeElement;
      if (control && !isTyping) control.value = state[name] ?? "";
    }
    const used = ["provider", ...PARTS].filter((name) => state[name]).length;
    filterButton.textContent = used ? `Filters (${used})` : "Filters";
    document.querySelector("#reset").hidden = !Object.values(state).some(Boolean);
    const chosen = new Set(columns());
    for (const box of document.querySelectorAll("#columns input")) box.checked = chosen.has(box.value);
  }

  /* Rows */

  function matching() {
    const words = (state.q || "").toLowerCase().split(/\s+/).filter(Boolean);
    return view.rows.map((row) => Object.fromEntries(view.columns.map((key, index) => [key, row[index]])))
      .map((row) => ({ ...row, rank: row.rank_low }))
      .filter((row) => !state.provider || row.provider === state.provider)
      .filter((row) => words.every((word) => row.model.toLowerCase().includes(word)));
  }

  function sorted(rows) {
    const key = sortColumn();
    const sign = descending() ? -1 : 1;
    const missing = (value) => value === null || value === undefined || value === "";
    return rows.sort((a, b) => {
      const [x, y] = [a[key], b[key]];
      if (missing(x) || missing(y)) return missing(x) - missing(y); // what is unknown comes last either way
      const order = typeof x === "number" ? x - y : String(x).localeCompare(String(y));
      return sign * order || (b.solved ?? -1) - (a.solved ?? -1) || (b.score ?? -1) - (a.score ?? -1) || a.model.localeCompare(b.model);
    });
  }

  function interval(row) {
    if (row.solved === null) return "";
    const [low, high] = [row.low ?? row.solved, row.high ?? row.solved];
    return s("svg", { class: "interval", viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("path", { class: "ticks", d: "M0 0V14M25 0V14M50 0V14M75 0V14M100 0V14" }),
      s("rect", { class: "track", x: 0, y: 6.5, width: 100, height: 1 }),
      s("rect", { class: "range", x: low, y: 3, width: Math.max(0.3, high - low), height: 8 }),
      s("rect", { class: "point", x: Math.max(0, row.solved - 0.5), y: 0.5, width: 1, height: 13 }));
  }

  function cell(column, row) {
    const value = row[column.key];
    if (column.key === "model") {
      const open = state.row === row.slug;
      const opener = h("button", { class: "opener", type: "button", "data-row": row.slug, "aria-expanded": String(open),
        "aria-label": `Levels, kinds and failures of ${value}` });
      return h("th", { scope: "row" }, h("div", {}, opener, h("a", { href: `${root}models/${row.slug}.html` }, breakable(value))),
        row.lacks ? h("small", { class: "lacks" }, `lacks ${row.lacks}`) : "");
    }
    if (column.key === "rank") return h("td", { class: "c-rank n" }, ranks(row.rank_low, row.rank_high));
    if (column.key === "interval") {
      const said = row.low === null ? "" : `${format.number(row.low)} to ${format.number(row.high)}`;
      return h("td", { class: "c-interval" }, interval(row), h("span", { class: "unseen" }, said));
    }
    const text = format[column.kind](value);
    const number = column.kind !== "text";
    const content = number && value !== null
      ? h("a", { class: "quiet", href: `${root}models/${row.slug}.html#answers` }, text) : text;
    return h("td", { class: `c-${column.key}${number ? " n" : ""}` }, content);
  }

  function draw() {
    const order = columns().map((key) => byKey.get(key));
    shown = sorted(matching());
    table.tHead.replaceChildren(h("tr", {}, order.map(heading)));
    for (const body of [...table.tBodies]) body.remove();
    const limit = folded() ? board.folded_to : Infinity;
    let at = 0;
    for (const [band, rows] of bands(shown)) {
      if (at >= limit) break;
      const body = h("tbody", {});
      if (band === "apart") body.append(h("tr", { class: "part" },
        h("th", { scope: "rowgroup", colspan: order.length }, "Not ranked, for want of answers")));
      for (const row of rows.slice(0, limit - at)) {
        body.append(h("tr", { id: `row=${row.slug}`, class: state.row === row.slug ? "open" : null },
          order.map((column) => cell(column, row))));
        if (state.row === row.slug) body.append(opened(row, order.length));
      }
      at += rows.length;
      table.append(body);
    }
    unfold.parentNode.hidden = !folded();
    unfold.textContent = `Show all ${shown.length} models`;
    notes.hidden = view.notes.length === 0;
    notes.querySelector("summary").textContent =
      view.notes.length === 1 ? "One thing to know" : `${view.notes.length} things to know`;
    notes.querySelector("ul").replaceChildren(...view.notes.map((text) => h("li", { class: "foreign" }, text)));
    const models = `${shown.length} of ${view.rows.length} model${view.rows.length === 1 ? "" : "s"}`;
    const found = shown.length ? `${models}, ${view.summary}` : `No model matches. ${models}.`;
    status.textContent = `${refused}${found}`;
  }

  /** Whether only the first rows are shown. Who searches, or follows the address of a row further down, gets all. */
  function folded() {
    if (embedded || state.all || state.q || shown.length <= board.folded_above) return false;
    const wanted = shown.findIndex((row) => row.slug === state.row);
    return wanted < board.folded_to;
  }

  /** What is below an open row: all of it is in data/rows.js, of the whole board. */
  function opened(row, width) {
    const found = details[row.slug] ?? { level: [], kind: [], failures: [] };
    const part = (title, entries) => (entries.length > 1 ? h("section", {}, h("h3", {}, title),
      h("dl", {}, entries.map(([name, solved, answers]) => h("div", {}, h("dt", {}, name), h("dd", {}, meter(solved),
        h("span", { class: "n" }, `${format.number(solved)} %`),
        h("small", {}, `of ${format.count(answers)}`)))))) : null);
    const failures = h("section", {}, h("h3", {}, "Most common failures"), found.failures.length
      ? h("ul", {}, found.failures.map(([label, count, share, address]) => h("li", {},
        h("a", { href: `${root}answer.html#${address}` }, label), ` ${format.count(count)} (${format.share(share)})`)))
      : h("p", {}, "None: every answer has all points."),
      h("p", {}, `Empty answers: ${format.share(found.empty)}. Hit their limit of tokens: ${format.share(found.cut_short)}.`));
    const more = h("p", {}, h("a", { href: `${root}models/${row.slug}.html` }, "All about this model"), " · ",
      h("a", { href: `${root}compare.html#a=${encodeURIComponent(row.model)}` }, "Compare it"));
    return h("tr", { class: "opened" }, h("td", { colspan: width }, h("div", { class: "details" },
      part("By level", found.level), part("By kind of task", found.kind), failures), more));
  }

  const meter = (percent) => s("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "track", x: 0, y: 0, width: 100, height: 10 }),
    s("rect", { class: "full", x: 0, y: 0, width: percent ?? 0, height: 10 }));

  /** The parts of the board: those that are not ranked, and between the others the lines of a sure order. */
  function bands(rows) {
    const inOrder = ["solved", "rank"].includes(sortColumn()) && descending() === (sortColumn() === "solved");
    const found = new Map();
    for (const row of rows) {
      const band = row.band === null ? "apart" : inOrder ? row.band : 0;
      found.set(band, [...(found.get(band) || []), row]);
    }
    const apart = found.get("apart");
    if (apart && found.delete("apart")) found.set("apart", apart);
    return found;
  }

  const ranks = (low, high) => (low === null ? "–" : low === high ? `${low}` : `${low} to ${high}`);

  function heading(column) {
    const current = column.key === sortColumn();
    const attributes = { scope: "col", class: `c-${column.key}${["text", "interval"].includes(column.kind) ? "" : " n"}` };
    if (current) attributes["aria-sort"] = descending() ? "descending" : "ascending";
    if (column.key === "interval") return h("th", attributes, column.label, h("span", { class: "scale", "aria-hidden": "true" },
      ["0", "50", "100"].map((text) => h("span", {}, text))));
    const button = h("button", { type: "button", title: column.about, "data-sort": column.key }, column.label);
    return h("th", attributes, button);
  }

  /* What people do */

  table.addEventListener("click", async (event) => {
    const opener = event.target.closest("button[data-row]");
    if (opener) {
      const row = opener.dataset.row;
      await change({ row: state.row === row ? "" : row });
      table.querySelector(`button[data-row="${row}"]`)?.focus();
    }
    const button = event.target.closest("button[data-sort]");
    if (!button) return;
    const sort = button.dataset.sort;
    const turn = sort === sortColumn();
    await change({ sort, direction: turn ? (descending() ? "up" : "down") : "" });
    table.querySelector(`button[data-sort="${sort}"]`)?.focus();
  });
  controls.q.addEventListener("input", () => change({ q: controls.q.value }));
  for (const name of ["provider", ...PARTS]) {
    controls[name]?.addEventListener("change", () => change({ [name]: controls[name].value }));
  }
  document.querySelector("#columns").addEventListener("change", () => {
    const chosen = [...document.querySelectorAll("#columns input:checked")].map((box) => box.value);
    const same = chosen.join() === usual.join();
    change({ columns: same ? "" : chosen.join() });
  });
  document.querySelector("#reset").addEventListener("click", () => show({}));
  unfold.addEventListener("click", () => change({ all: "1" }));
  filterButton.addEventListener("click", () => {
    const open = filterButton.getAttribute("aria-expanded") !== "true";
    filterButton.setAttribute("aria-expanded", String(open));
  });
  document.addEventListener("keydown", (event) => {
    const chooser = document.querySelector(".chooser");
    if (event.key === "Escape" && chooser.open) {
      chooser.open = false;
      chooser.querySelector("summary").focus();
    }
  });
  document.querySelector("#csv").addEventListener("click", (event) => {
    event.preventDefault();
    const link = h("a", { href: URL.createObjectURL(new Blob([csv()], { type: "text/csv" })), download: "board.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

  /** The rows and columns as they are shown, with full numbers; interval and rank as their two ends. */
  function csv() {
    const lacking = shown.some((row) => row.lacks) ? ["lacks"] : [];
    const keys = [...columns(), ...lacking].flatMap((key) => MADE[key] ?? [key]);
    const quoted = (value) => {
      if (typeof value === "number") return String(value);
      const text = /^[=+@\t-]/.test(value ?? "") ? `'${value}` : String(value ?? ""); // a spreadsheet would run it
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return [keys, ...shown.map((row) => keys.map((key) => row[key]))]
      .map((row) => `${row.map(quoted).join(",")}\r\n`).join("");
  }

  window.addEventListener("hashchange", () => {
    if (location.hash.includes("=") || !location.hash) show(readState());
  });
  await show(readState());
  if (state.row) document.getElementById(`row=${state.row}`)?.scrollIntoView({ block: "center" });
})();
