(async () => {
  const read = async (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (byte) => byte.charCodeAt(0));
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(text).text());
  };
  const details = await read("details");
  const charts = await read("charts");
  const views = {};

  /** An element with a class and text or children; text is never read as HTML. */
  const make = (name, kind, ...content) => {
    const element = document.createElement(name);
    if (kind) element.className = kind;
    element.append(...content);
    return element;
  };

  // ── Charts ──

  const embed = async (place) => {
    const { view } = await vegaEmbed(place, charts[place.dataset.chart], {
      mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
      tooltip: { disableDefaultStyle: true },
    });
    views[place.dataset.chart] = view;
    return place.querySelector("svg");
  };
  const draw = async (place) => {
    const chart = charts[place.dataset.chart];
    let svg = await embed(place);
    const panels = (chart.hconcat ?? chart.concat ?? [chart]).filter((panel) => typeof panel.width === "number");
    const excess = Number(svg.getAttribute("width")) - place.clientWidth;
    if (excess > 0 && panels.length) {  // on a narrow screen panels are narrower, and letters as large as elsewhere
      for (const panel of panels) panel.width = Math.max(panel.width - (excess + 12) / Math.min(panels.length, chart.columns ?? 9), 110);
      views[place.dataset.chart].finalize();
      svg = await embed(place);
    }
    svg.setAttribute("aria-hidden", "true");  // the place is the image, and has the words
    // on a narrow screen a chart is scrolled rather than made illegible
    svg.style.minWidth = `${Math.min(Number(svg.getAttribute("width")), 540)}px`;
    if (place.scrollWidth > place.clientWidth + 1) place.tabIndex = 0;
  };
  (async () => {
    for (const place of document.querySelectorAll(".chart")) await draw(place);
    if (views.queries) {
      views.queries.addEventListener("click", (_, item) => {
        if (item && item.datum && Number.isInteger(item.datum.q)) show(item.datum.q);
      });
      order(document.querySelector("input[name=order]:checked").value);
    }
    document.documentElement.dataset.drawn = "yes";
  })();

  // ── Sorting ──

  const queries = document.getElementById("queries");
  const order = (name) => {
    for (const th of queries.tHead.rows[0].cells) th.removeAttribute("aria-sort");
    arrange(queries, rowsOf(queries).sort((a, b) => a.dataset[name] - b.dataset[name]));
    if (views.queries) views.queries.signal("order", name).runAsync();
  };
  for (const radio of document.querySelectorAll("input[name=order]")) {
    radio.addEventListener("change", () => order(radio.value));
  }

  // ── Opening a query ──

  /** A mark for the eye with words for the ear. */
  const marked = (kind, mark, said) => {
    const shown = make("span", kind, mark);
    shown.setAttribute("aria-hidden", "true");
    return [shown, make("span", "said", said)];
  };
  const found = (kind, mark, rank) => details.ranked
    ? marked(kind, `${mark} ${rank}`, `${kind}, rank ${rank}`) : marked(kind, mark, kind);
  const heads = (names, first) => {
    const row = make("tr");
    for (const name of names) {
      const th = make("th", first.includes(name) ? "" : "n", name);
      th.title = name;
      th.scope = "col";
      row.append(th);
    }
    const head = make("thead");
    head.append(row);
    return head;
  };
  const answersOf = (query) => {
    const table = make("table", "");
    table.append(make("caption", "", "Answers; the right one is ", query.label ?? "unknown"), heads(["run", "answer"], ["run"]));
    const body = make("tbody");
    query.answers.forEach((answer, run) => {
      const name = make("th", "", details.runs[run]);
      name.scope = "row";
      const right = answer === query.label;
      const told = answer === null ? ["–", make("span", "said", "no answer")]
        : marked(right ? "correct" : "wrong", `${right ? "✓" : "✗"} ${answer}`, `${answer}, ${right ? "right" : "wrong"}`);
      body.append(make("tr", "", name, make("td", "n", ...told)));
    });
    table.append(body);
    return table;
  };
  const documentsOf = (query) => {
    const titled = query.rows.some((row) => details.documents[row[0]][1]);
    const fixed = ["document", ...(titled ? ["title"] : [])];
    const table = make("table", "");
    table.append(make("caption", "", details.ranked ? "The rank at which each run retrieved a document" : "What each run retrieved"), heads([...fixed, ...details.runs], fixed));
    const body = make("tbody");
    const group = (text) => {
      const th = make("th", "", text);
      th.colSpan = fixed.length + details.runs.length;
      th.scope = "colgroup";
      body.append(make("tr", "group", th));
    };
    const line = ([number, relevant, ...pairs]) => {
      const [id, title] = details.documents[number];
      const name = make("th", "", id);
      name.scope = "row";
      const row = make("tr", "", name);
      if (titled) row.append(make("td", "title", title));
      const rank = new Map();
      for (let at = 0; at < pairs.length; at += 2) rank.set(pairs[at], pairs[at + 1]);
      details.runs.forEach((_, run) => {
        const place = rank.get(run);
        const told = place === undefined
          ? relevant ? marked("missed", "missed", "missed") : []
          : relevant ? found("correct", "✓", place) : found("wrong", "✗", place);
        row.append(make("td", "n", ...told));
      });
      body.append(row);
    };
    const relevant = query.rows.filter((row) => row[1]);
    const wrong = query.rows.filter((row) => !row[1]);
    group("Together");
    ["correct", "missed", "wrong"].forEach((what, at) => {
      const name = make("th", "", what);
      name.scope = "row";
      const row = make("tr", "", name);
      if (titled) row.append(make("td", "title"));
      query.counts.forEach((count) => row.append(make("td", "n", String(count[at]))));
      body.append(row);
    });
    group(relevant.length ? "Relevant" : "Nothing is relevant");
    relevant.forEach(line);
    if (wrong.length) {
      group("Retrieved and wrong");
      wrong.forEach(line);
    }
    if (query.counts.some((count) => count[3])) {
      const name = make("th", "", "further wrong ones, not shown");
      name.scope = "row";
      const row = make("tr", "", name);
      if (titled) row.append(make("td", "title"));
      query.counts.forEach((count) => row.append(make("td", "n", String(count[3]))));
      body.append(row);
    }
    table.append(body);
    return table;
  };
  const content = (at) => {
    const query = details.queries[at];
    const parts = [];
    if (query.text) parts.push(make("p", "", query.text));
    if (query.answers) parts.push(answersOf(query));
    if (query.rows) parts.push(documentsOf(query));
    return parts;
  };
  const toggle = (button, open) => {
    const row = button.closest("tr");
    if ((button.getAttribute("aria-expanded") === "true") === open) return;
    button.setAttribute("aria-expanded", String(open));
    if (!open) {
      row.nextElementSibling.remove();
      button.removeAttribute("aria-controls");
      return;
    }
    const box = make("div", "scroll", ...content(Number(row.dataset.q)));
    const cell = make("td", "", box);
    cell.colSpan = row.cells.length;
    const opened = make("tr", "opened", cell);
    opened.id = `query-${row.dataset.q}`;
    button.setAttribute("aria-controls", opened.id);
    row.after(opened);
    if (box.scrollWidth > box.clientWidth + 1) {
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", `Query ${button.textContent}`);
    }
  };
  queries.addEventListener("click", (event) => {
    const button = event.target.closest(".open");
    if (button) toggle(button, button.getAttribute("aria-expanded") !== "true");
  });
  /** Open a query that was chosen in the figure. */
  const show = (at) => {
    const button = queries.querySelector(`tr[data-q="${at}"] .open`);
    toggle(button, true);
    button.focus();
    button.scrollIntoView({ block: "center" });
  };

  // ── Print: what was tolerated is printed, tables of the figures' numbers only where they were opened ──

  const remarks = document.querySelectorAll("details.remarks:not([open])");
  addEventListener("beforeprint", () => remarks.forEach((one) => { one.dataset.closed = one.open ? "" : "yes"; one.open = true; }));
  addEventListener("afterprint", () => remarks.forEach((one) => { if (one.dataset.closed === "yes") one.open = false; }));
})();
