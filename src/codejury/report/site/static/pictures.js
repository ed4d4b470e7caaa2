/* Pictures that answer to the pointer. Each stands in the page as a plain picture until its chart is drawn in
   its place; where that fails, the plain one stays. */
"use strict";

(() => {
  const { h, load, use } = Codejury;
  // Vega empties its box by setting its markup to nothing. That much is allowed, and no more.
  if (window.trustedTypes) {
    window.trustedTypes.createPolicy("default", { createHTML: (text) => (text === "" ? "" : null) });
  }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const tip = h("div", { class: "tip", hidden: true, role: "status" });
  document.body.append(tip);

  /** What a mark stands for, as text at the pointer. */
  function tooltip(handler, event, item, value) {
    tip.hidden = value === null || value === undefined || value === "";
    if (tip.hidden) return;
    const content = typeof value === "object"
      ? h("dl", {}, Object.entries(value).flatMap(([key, text]) => [h("dt", {}, key), h("dd", {}, String(text))]))
      : String(value);
    tip.replaceChildren(content);
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
  }

  async function draw(box) {
    await use("assets/vega"); // large: a reader who looks at no picture does not load it
    const spec = await load(`charts/${box.dataset.chart}.${dark.matches ? "dark" : "light"}`);
    const live = h("div", { class: "live" });
    const looks = { actions: false, renderer: "svg", defaultStyle: false, tooltip };
    const options = { mode: "vega", ast: true, ...looks };
    await vegaEmbed(live, spec, options);
    const picture = live.querySelector("svg");
    if (!picture) return;
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", box.querySelector("img").alt);
    for (const part of picture.querySelectorAll("[role], [aria-roledescription], [tabindex]")) {
      for (const name of ["role", "aria-roledescription", "aria-label", "tabindex"]) part.removeAttribute(name);
    }
    box.replaceChildren(live);
    box.dataset.live = "yes";
  }

  const quietly = (box) => draw(box).catch((error) => {
    box.dataset.live = "no";
    console.warn(`the picture ${box.dataset.chart} stays as it is: ${error.message}`);
  });
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      seen.unobserve(entry.target);
      quietly(entry.target);
    }
  }, { rootMargin: "300px" });
  for (const box of document.querySelectorAll("[data-chart]")) seen.observe(box);
})();
