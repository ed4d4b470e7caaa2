/* What every page has: making elements, writing numbers, loading data.

   Nothing here or elsewhere turns text into markup. Elements are made one by one and text is put into them
   as text, so an answer can hold what it likes; the page's policy forbids the other way altogether. */
"use strict";

window.Codejury = (() => {
  const root = document.documentElement.dataset.root || "";
  document.documentElement.classList.add("script");
  // index.html?embed=1 is the bare table, for a frame in somebody else's page.
  if (new URLSearchParams(location.search).get("embed") === "1") document.documentElement.classList.add("embed");

  /** An element with attributes and children: h("a", {href: "x"}, "text", other). */
  function h(name, attributes, ...children) {
    return fill(document.createElement(name), attributes, children);
  }

  function s(name, attributes, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
  }

  function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) {
        element.setAttribute(key, value === true ? "" : String(value));
      }
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  }

  /** A model's name that may go on in the next line after a slash, and rather there than anywhere else. */
  const breakable = (name) => name.split("/").flatMap((part, at) => (at ? ["/", h("wbr"), part] : [part]));

  /* Numbers, as the pages made by the program write them. */
  const NOTHING = "–";
  const unknown = (value) => value === null || value === undefined || !Number.isFinite(value);
  const grouped = (value) => fixed(value, 0).replace(/\B(?=(\d{3})+$)/g, ",");
  /** As the program rounds: exactly between two numbers, to the even one. Only binary fractions are exact. */
  function fixed(value, digits) {
    const between = Number.isInteger(value * 2 ** (digits + 1)) && !Number.isInteger(value * 2 ** digits);
    if (!between) return value.toFixed(digits);
    const below = Math.floor(value * 10 ** digits);
    return ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
  }
  const format = {
    text: (value) => (value === null || value === undefined || value === "" ? NOTHING : String(value)),
    number: (value, digits = 1) => (unknown(value) ? NOTHING : fixed(value, digits)),
    share: (value) => (unknown(value) ? NOTHING : `${fixed(100 * value, 0)} %`),
    count: (value) => (unknown(value) ? NOTHING : grouped(value)),
    money(value) {
      if (unknown(value)) return NOTHING;
      if (value === 0) return "$0";
      const size = Math.abs(value);
      return `$${fixed(value, size >= 1 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(size))))}`;
    },
    seconds(value) {
      if (unknown(value)) return NOTHING;
      if (value < 600) return `${fixed(value, 1)} s`;
      const whole = Math.round(value);
      return `${grouped(Math.floor(whole / 60))} min ${String(whole % 60).padStart(2, "0")} s`;
    },
    times: (value) => (unknown(value) ? NOTHING : `${fixed(value, 2)} ×`),
    moment(stamp) {
      const digits = String(stamp || "").replaceAll("_", "");
      if (!/^\d{12}/.test(digits)) return stamp || NOTHING;
      const [y, m, d, hour, minute] = [[0, 4], [4, 6], [6, 8], [8, 10], [10, 12]].map(([a, b]) => digits.slice(a, b));
      return `${y}-${m}-${d} ${hour}:${minute}`;
    },
    shade: (value) => (unknown(value) ? "none" : `q${Math.max(0, Math.min(10, Math.round(value / 10)))}`),
  };

  /* Data comes as scripts: a page on a disk may load those, and may not fetch. Only names of the site's own
     data folders are ever loaded, whatever an address asks for. */
  const NAME = /^(?:(?:data|answers|charts)(?:\/[a-z0-9_][a-z0-9_.-]*)+|assets\/vega)$/;
  const checked = (url) => {
    const name = url.slice(root.length).replace(/\.js$/, "");
    if (!url.startsWith(root) || !NAME.test(name)) throw new TypeError(`not a part of this site: ${url}`);
    return url;
  };
  const policy = window.trustedTypes
    ? window.trustedTypes.createPolicy("codejury", { createScriptURL: checked })
    : { createScriptURL: checked };
  const waiting = new Map();
  const loaded = new Map();

  function load(name) {
    if (!loaded.has(name)) {
      loaded.set(name, new Promise((resolve, reject) => {
        waiting.set(name, resolve);
        add(name, () => {
          loaded.delete(name);
          reject(new Error(`${name} could not be loaded`));
        });
      }));
    }
    return loaded.get(name);
  }

  function add(name, failed) {
    const script = document.createElement("script");
    script.src = policy.createScriptURL(`${root}${name}.js`);
    script.onerror = failed;
    document.head.append(script);
    return script;
  }

  /** A script that delivers nothing and is there when it has run. */
  function use(name) {
    if (!loaded.has(name)) {
      loaded.set(name, new Promise((resolve, reject) => {
        add(name, () => reject(new Error(`${name} could not be loaded`))).onload = resolve;
      }));
    }
    return loaded.get(name);
  }

  /** Called by the data scripts. */
  function deliver(name, value) {
    const resolve = waiting.get(name);
    if (resolve) resolve(value);
    else loaded.set(name, Promise.resolve(value));
  }

  async function unpack(base64) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }

  /* What a view shows stands in the address after the #, so that it can be shared. */
  function readState() {
    const text = location.hash.slice(1);
    return text.includes("=") ? Object.fromEntries(new URLSearchParams(text)) : {};
  }

  function writeState(state) {
    const kept = Object.entries(state).filter(([, value]) => value);
    const text = new URLSearchParams(kept).toString();
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }

  const answerLink = (key, part = 1, id = "") =>
    `${root}answer.html#${key}/${part}/${encodeURIComponent(id)}`;

  return { root, h, s, breakable, format, load, use, deliver, unpack, readState, writeState, answerLink };
})();
