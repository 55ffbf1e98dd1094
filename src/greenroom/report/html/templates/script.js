(() => {
  "use strict";
  const root = document.documentElement;
  const KEY = "greenroom-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");

  /* A page opened from a file or in a frame may have no storage: the choice then holds until it is closed. */
  const remembered = () => {
    try { return localStorage.getItem(KEY); } catch { return null; }
  };
  const remember = (theme) => {
    try { localStorage.setItem(KEY, theme); } catch { return; }
  };

  const chosen = remembered();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

  const offerThemes = () => {
    const button = document.getElementById("theme");
    const show = () => button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      show();
    });
    system.addEventListener("change", show);
    show();
    button.hidden = false;
  };

  const offerFilter = () => {
    const form = document.getElementById("filter");
    const text = document.getElementById("text");
    const tag = document.getElementById("tag");
    const shown = document.getElementById("shown");
    const none = document.getElementById("none");
    let runs = null;

    /* The runs are looked at when somebody first asks, so that opening a big report costs nothing. */
    const all = () => (runs ??= [...document.querySelectorAll(".run")].map((run) => ({
      run,
      test: run.closest(".test"),
      tags: (run.dataset.tags ?? "").split(" "),
      words: null,
    })));
    const wordsOf = (entry) => (entry.words ??=
      (entry.run.textContent + " " + (entry.test?.firstElementChild.textContent ?? "")).toLowerCase());

    const filter = () => {
      const status = form.elements.status.value;
      const wanted = text.value.trim().toLowerCase();
      const number = tag?.value ?? "";
      const open = new Set();
      let count = 0;
      for (const entry of all()) {
        const fits = (!status || entry.run.dataset.status === status)
          && (!number || entry.tags.includes(number))
          && (!wanted || wordsOf(entry).includes(wanted));
        entry.run.hidden = !fits;
        if (fits) {
          count += 1;
          if (entry.test) open.add(entry.test);
        }
      }
      for (const test of document.querySelectorAll(".test")) test.hidden = !open.has(test);
      const total = all().length;
      shown.value = count === total ? "" : `${count.toLocaleString("en")} of ${total.toLocaleString("en")} runs shown`;
      none.hidden = count > 0 || !total;
    };
    const clear = () => { form.reset(); filter(); };
    const fold = (open) => {
      for (const entry of all()) if (!entry.run.hidden) entry.run.open = open;
    };

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", filter);
    document.getElementById("clear").addEventListener("click", () => { clear(); text.focus(); });
    document.getElementById("open").addEventListener("click", () => fold(true));
    document.getElementById("close").addEventListener("click", () => fold(false));
    form.reset();
    form.hidden = false;
    return clear;
  };

  /* A link leads to its run even where the run is folded or filtered away. */
  const followLinks = (clear) => {
    const reveal = () => {
      const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (!target) return;
      if (target.closest("[hidden]")) clear();
      for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      target.scrollIntoView();
    };
    addEventListener("hashchange", reveal);
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.('a[href^="#"]');
      if (link && link.hash === location.hash) reveal();
    });
    if (location.hash) reveal();
  };

  addEventListener("DOMContentLoaded", () => {
    offerThemes();
    followLinks(offerFilter());
  });
})();
