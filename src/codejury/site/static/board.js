/* The board: sort, filter, choose columns, share, download.

   Every number comes from the program. A filter on prompt, category or experiment changes what is counted, so
   it shows another table that was made with the site (a "view"); nothing is estimated here. */
"use strict";

(async () => {
  const { h, s, format, load, root, readState, writeState } = Codejury;
  const table = document.querySelector("table.board");
  const status = document.querySelector("#status");
  const board = await load("data/board");
  const byKey = new Map(board.columns.map((column) => [column.key, column]));
  const usual = board.columns.filter((column) => column.shown).map((column) => column.key);
  const controls = {
    q: document.querySelector("#q"),
    provider: document.querySelector("#provider"),
    prompt: document.querySelector("#prompt"),
    category: document.querySelector("#category"),
    experiment: document.querySelector("#experiment"),
  };
  const notes = document.querySelector("#notes");
  const MADE = { interval: ["low", "high"], rank: ["rank_low", "rank_high"] };
  const PARTS = ["prompt", "category", "experiment"];
  let state = {};
  let view = null;
  let shown = [];
  let newest = 0;

  const viewKey = (wanted) => PARTS.map((part) => wanted[part] ?? "").join("\u0000");
  const columns = () => (state.columns ? state.columns.split(",").filter((key) => byKey.has(key)) : usual);
  const sortColumn = () => (byKey.has(state.sort) ? state.sort : "score");
  const risesByNature = () => ["text", "rank"].includes(byKey.get(sortColumn()).kind);
  const descending = () => (state.direction ? state.direction === "down" : !risesByNature());

  /** The state of the address; a combination nobody made a view for falls back to its first part. */
  function normalised(wanted) {
    if (viewKey(wanted) in board.views) return wanted;
    const kept = PARTS.find((part) => wanted[part] && viewKey({ [part]: wanted[part] }) in board.views);
    const cleared = Object.fromEntries(PARTS.map((part) => [part, ""]));
    return { ...wanted, ...cleared, ...(kept ? { [kept]: wanted[kept] } : {}) };
  }

  async function show(next) {
    const run = (newest += 1);
    const wanted = normalised(next);
    const found = await load(`data/view-${board.views[viewKey(wanted)]}`);
    if (run !== newest) return; // a later choice was faster
    [state, view] = [wanted, found];
    writeState(state);
    fillControls();
    draw();
  }

  const change = (some) => show({ ...state, ...some });

  function fillControls() {
    for (const [name, control] of Object.entries(controls)) {
      if (control && control !== document.activeElement) control.value = state[name] ?? "";
    }
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
      return sign * order || (b.score ?? -1) - (a.score ?? -1) || a.model.localeCompare(b.model);
    });
  }

  function interval(row) {
    if (row.score === null) return "";
    const [low, high] = [row.low ?? row.score, row.high ?? row.score];
    return s("svg", { class: "interval", viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "track", x: 0, y: 6.5, width: 100, height: 1 }),
      s("rect", { class: "range", x: low, y: 3, width: Math.max(0.3, high - low), height: 8 }),
      s("rect", { class: "point", x: Math.max(0, row.score - 0.5), y: 0.5, width: 1, height: 13 }));
  }

  function cell(column, row) {
    const value = row[column.key];
    if (column.key === "model") {
      return h("th", { scope: "row" }, h("a", { href: `${root}models/${row.slug}.html` }, value),
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
    for (const [band, rows] of bands(shown)) {
      const body = h("tbody", {}, rows.map((row) => h("tr", {}, order.map((column) => cell(column, row)))));
      if (band === "apart") body.prepend(h("tr", { class: "part" },
        h("th", { scope: "rowgroup", colspan: order.length }, "Not ranked, for want of answers")));
      table.append(body);
    }
    notes.hidden = view.notes.length === 0;
    notes.querySelector("ul").replaceChildren(...view.notes.map((text) => h("li", { class: "foreign" }, text)));
    const models = `${shown.length} of ${view.rows.length} model${view.rows.length === 1 ? "" : "s"}`;
    status.textContent = shown.length ? `${models}, ${view.summary}` : `No model matches. ${models}.`;
  }

  /** The parts of the board: those that are not ranked, and between the others the lines of a sure order. */
  function bands(rows) {
    const inOrder = ["score", "rank"].includes(sortColumn()) && descending() === (sortColumn() === "score");
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
    if (column.key === "interval") return h("th", attributes, column.label);
    const button = h("button", { type: "button", title: column.about, "data-sort": column.key }, column.label);
    return h("th", attributes, button);
  }

  /* What people do */

  table.addEventListener("click", async (event) => {
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
})();
