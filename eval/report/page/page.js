"use strict";
// Draws the charts of a study. All numbers were worked out before; nothing is
// computed here but places on paper.
(function () {
  const study = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const drawing = JSON.parse(document.getElementById("drawing").textContent), scores = drawing.scores;
  const measures = { exact: "exact match", token: "tokens right" };
  const state = { task: 0, place: 0, measure: "exact", hidden: new Set() };
  const charts = new Map();
  const dash = (lengths) => lengths && lengths.map((points) => 1.5 * points); // lines are wider here
  const dashes = drawing.dashes.map(dash);
  const darkSystem = matchMedia("(prefers-color-scheme: dark)");

  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const colour = (series) => css("--e" + series.encoding);
  const symbol = (series) => "path://" + study.encodings[series.encoding].path;
  const shown = (series) => !state.hidden.has(series.encoding);
  const score = (task, series) => scores[state.measure][study.tasks.indexOf(task)][task.series.indexOf(series)];
  const fitText = (f) => `${f.runs} run${f.runs === 1 ? "" : "s"}` + (f.unknown === f.runs ? "" : `, ${f.fitted} fitted`);
  const unfit = (series) => series.fit.runs > 0 && series.fit.fitted === 0 && series.fit.unknown === 0;
  const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c]));
  const percent = (v) => (v === null ? "–" : v < 1 && v >= 0.9995 ? ">99.9 %" : v > 0 && v < 0.0005 ? "<0.1 %" : (100 * v).toFixed(1) + " %");
  const short = (v) => (v === null ? "–" : v >= 100 ? Math.round(v).toLocaleString("en") : v.toPrecision(3));
  const font = () => getComputedStyle(document.body).fontFamily;
  const nameFont = () => "600 13px " + font();

  // Room for names behind the ends of lines.
  const nameRoom = (lines) => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = nameFont();
    return Math.max(0, ...lines.map(({ name }) => Math.max(7.4 * name.length, pen.measureText(name).width))) + 44;
  };

  // The instance of a chart, emptied. A chart of no width is not drawn.
  function instance(id) {
    const at = byId(id);
    if (!charts.has(id)) charts.set(id, echarts.init(at, null, { renderer: "svg" }));
    return charts.get(id);
  }

  function base() {
    return {
      animation: false, textStyle: { fontFamily: font(), fontSize: 13, color: css("--ink") },
      tooltip: {
        backgroundColor: css("--paper"), borderColor: css("--line"), padding: [8, 12],
        textStyle: { color: css("--ink"), fontFamily: font(), fontSize: 13 }, confine: true,
      },
    };
  }

  const axis = (name, more) => Object.assign({
    name, nameLocation: "middle", nameGap: 34, nameTextStyle: { color: css("--soft"), fontSize: 13 },
    axisLine: { show: true, lineStyle: { color: css("--axis") } }, axisTick: { show: false },
    axisLabel: { color: css("--soft"), fontSize: 12, hideOverlap: true, margin: 11 }, splitLine: { show: true, lineStyle: { color: css("--line"), width: 1 } },
  }, more);

  // The lines of a chart that are shown, and of each list of lines that lie on one another
  // those that are.
  function shownLines(chart, task) {
    const lines = chart.lines.map((l, n) => ({ n, name: task.series[l.series].name + (unfit(task.series[l.series]) ? ", did not fit" : ""), series: task.series[l.series], points: l.points }));
    return { ...chart, all: lines, lines: lines.filter((l) => shown(l.series)), users: (list) => list.filter((n) => shown(lines[n].series)) };
  }

  // Bands between the low and high ends of points, drawn below the lines. A stretch
  // that several have in common is filled once and in grey: one on another they
  // would make a block darker than any line.
  function bands(chart) {
    const out = [];
    let last = null;
    for (const b of chart.bands) {
      const users = chart.users(b.users), of = b.users[0];
      if (!users.length) continue;
      const fill = users.length > 1 ? css("--soft") : colour(chart.all[users[0]].series);
      if (last && last.of === of && last.to === b.from && last.fill === fill) last.to = b.to; // one polygon as far as one colour goes: seams would show
      else out.push(last = { of, from: b.from, to: b.to, fill });
    }
    return out.map((b) => band(chart.all[b.of].points.slice(b.from, b.to + 1), b.fill, chart.bottom));
  }

  // Intervals over the prompts of single runs: thin, and no bands, so that nobody takes them
  // for what other runs do.
  const bars = (chart) => chart.bars.map((b) => ({ ...b, shown: chart.users(b.users) })).filter((b) => b.shown.length).flatMap((b) => chart.all[b.users[0]].points.slice(b.from, b.to + 1).map((at) => ({ users: b.shown, at }))).map((b) => ({
    type: "custom", silent: true, z: 2, clip: true, data: [[b.at.x, b.at.low]], tooltip: { show: false },
    renderItem: (params, api) => {
      const [x, low] = api.coord([b.at.x, b.at.low]), [, high] = api.coord([b.at.x, b.at.high]);
      const style = { stroke: b.users.length > 1 ? css("--soft") : colour(chart.all[b.users[0]].series), lineWidth: 1, opacity: 0.6 };
      return { type: "group", children: [[x, low, x, high], [x - 2, low, x + 2, low], [x - 2, high, x + 2, high]].map(([x1, y1, x2, y2]) => ({ type: "line", shape: { x1, y1, x2, y2 }, style })) };
    },
  }));

  // Each run of lines that are over several, as small dots.
  const runs = (chart) => (chart.dotted ? chart.lines : []).map((l) => ({
    type: "scatter", silent: true, z: 3, symbol: "circle", symbolSize: 4, tooltip: { show: false },
    data: l.points.flatMap((p) => (p.runs ?? []).filter((r) => r !== null && r !== p.y).map((r) => [p.x, r])), itemStyle: { color: colour(l.series), opacity: 0.6 },
  }));

  const band = (points, fill, bottom) => ({
    type: "custom", silent: true, z: 2, clip: true, data: [[points[0].x, points[0].low]], tooltip: { show: false },
    renderItem: (params, api) => ({
      type: "polygon",
      shape: { points: points.map((p) => api.coord([p.x, p.high])).concat(points.slice().reverse().map((p) => api.coord([p.x, Math.max(p.low, bottom)]))) },
      style: { fill, opacity: 0.13 },
    }),
  });

  // The strokes of all lines: a stretch of several is dashed, with the dashes of each in
  // the gaps of the others.
  function strokes(chart) {
    return chart.strokes.flatMap((s) => {
      const [first, last] = [s.from, s.to].map((i) => chart.all[s.users[0]].points[i].x), users = chart.users(s.users);
      return users.map((n, turn) => ({ line: chart.all[n], points: chart.all[n].points.filter((p) => p.x >= first && p.x <= last), turn, turns: users.length }));
    });
  }

  const stroke = (s) => ({
    type: "custom", silent: true, z: 3, data: [[s.points[0].x, s.points[0].y]], tooltip: { show: false },
    renderItem: (params, api) => {
      const points = s.points.map((p) => api.coord([p.x, p.y]));
      const length = points.slice(1).reduce((sum, p, i) => sum + Math.hypot(p[0] - points[i][0], p[1] - points[i][1]), 0);
      const dash = Math.min(10, Math.max(4, length / (2 * s.turns))); // each has two turns, if they can be seen
      const style = { stroke: colour(s.line.series), lineWidth: 2, fill: "none", lineJoin: "round" };
      if (s.turns > 1) Object.assign(style, { lineDash: [dash, dash * (s.turns - 1)], lineDashOffset: -dash * s.turn });
      else style.lineDash = dashes[s.line.series.variant % dashes.length];
      return { type: "polyline", shape: { points }, style };
    },
  });

  // What lines cannot be below: dotted, and filled between the lowest and the highest.
  const dotted = () => ({ stroke: css("--soft"), lineWidth: 1.5, lineDash: dash(drawing.limit), fill: "none" });
  const limit = (limits) => ({
    type: "custom", silent: true, z: 2, data: [[limits[0].x, limits[0].low]], tooltip: { show: false },
    renderItem: (params, api) => {
      const [low, high] = ["low", "high"].map((end) => limits.map((l) => api.coord([l.x, l[end]])));
      return {
        type: "group", children: [
          { type: "polygon", shape: { points: high.concat(low.slice().reverse()) }, style: { fill: css("--soft"), opacity: 0.13 } },
          ...[low, high].map((points) => ({ type: "polyline", shape: { points }, style: dotted() })),
        ],
      };
    },
  });

  // Names at the ends of lines, each behind its marker, keep their distance from each
  // other; of lines that end alike the better one's stands above.
  function endLabels(lines, box, height) {
    const gap = 16;
    const at = lines.filter((l) => l.points.length).map((l) => {
      const end = l.points[l.points.length - 1];
      return { line: l, end, y: box.top + box.height * (1 - height(end.y)), want: 0, mean: l.points.reduce((sum, p) => sum + p.y, 0) / l.points.length };
    }).sort((a, b) => a.y - b.y || b.mean - a.mean);
    at.forEach((a) => { a.want = a.y; });
    for (let round = 0; round < 60; round++) {
      for (let i = 1; i < at.length; i++) {
        const near = gap - (at[i].want - at[i - 1].want);
        if (near > 0) { at[i].want += near / 2; at[i - 1].want -= near / 2; }
      }
      at.forEach((a, i) => { a.want = Math.min(Math.max(a.want, box.top + gap * i), box.top + box.height - gap * (at.length - 1 - i)); });
    }
    return at;
  }

  const endLabel = (a, box, leader = true) => ({
    type: "custom", silent: true, z: 5, data: [[a.end.x, a.end.y]], tooltip: { show: false },
    renderItem: (params, api) => {
      const x = box.right + 28, [from] = api.coord([a.end.x, a.end.y]), own = a.line.series ? colour(a.line.series) : css("--soft");
      return {
        type: "group", children: [
          ...(leader ? [{ type: "line", shape: { x1: from + 9, y1: a.y, x2: x - 8, y2: a.want }, style: { stroke: own, lineWidth: 1, lineDash: [1, 3] } }] : []),
          a.line.series
            ? { type: "path", shape: { pathData: study.encodings[a.line.series.encoding].path }, x, y: a.want, scaleX: 4.6, scaleY: 4.6, style: { fill: own } }
            : { type: "line", shape: { x1: x - 6, y1: a.want, x2: x + 6, y2: a.want }, style: dotted() },
          { type: "text", style: { text: a.line.name, x: x + 10, y: a.want, fill: css("--ink"), font: nameFont(), verticalAlign: "middle" } },
        ],
      };
    },
  });

  // A length, or a bin of lengths, for people.
  const label = (length) => String(length).replace("-", "–");

  // Lines over length with bands and names at their ends.
  function lineChart(id, chart, o) {
    const lines = chart.lines, limited = chart.limits.length > 0, octaves = chart.bottom > 0;
    const ends = limited ? [...lines, { name: "roofline", points: chart.limits.map((l) => ({ x: l.x, y: l.low })) }] : lines;
    const at = byId(id), width = at.clientWidth, height = at.clientHeight;
    if (!width) return;
    const labelled = width >= 520 && ends.length * 16 <= height - 70;
    if (o.min === o.last) { o.min--; o.last++; } // one length stands in the middle
    const grid = { left: o.left, right: labelled ? Math.min(width * 0.3, nameRoom(ends)) : 16, top: 30, bottom: 52 };
    const points = lines.flatMap((l) => l.points), top = Math.max(0, ...points.map((p) => p.y));
    const high = octaves ? chart.top : o.max ?? nice(Math.min(1.5 * top, Math.max(top, ...points.map((p) => p.high ?? 0)))); // a wide band may leave the chart: the lines are what it shows
    const level = (y) => (octaves ? Math.log2(y / chart.bottom) / Math.log2(high / chart.bottom) : y / high);
    const box = { top: grid.top, height: height - grid.top - grid.bottom, right: width - grid.right };
    const option = Object.assign(base(), {
      grid,
      xAxis: axis(o.axis, { type: o.octaves ? "log" : "value", logBase: 2, min: o.min, max: o.last, splitLine: { show: false }, minInterval: 1 }),
      yAxis: axis("", { type: octaves ? "log" : "value", logBase: 2, min: chart.bottom, max: high, axisLine: { show: false }, axisLabel: { color: css("--soft"), fontSize: 12, formatter: o.tick } }),
      series: [
        ...(limited ? [limit(chart.limits)] : []),
        ...bands(chart),
        ...bars(chart),
        ...runs(chart),
        ...strokes(chart).map(stroke),
        ...lines.map((l) => ({
          name: l.name, type: "scatter", z: 4, symbol: symbol(l.series), symbolSize: l.points.length > 40 ? 7 : 12,
          data: l.points.map((p) => { const of = chart.users(p.users); return { value: [p.x, p.y], symbol: of[o.lengths.indexOf(p.length) % of.length] === l.n ? undefined : "none" }; }),
          itemStyle: { color: colour(l.series), borderColor: css("--paper"), borderWidth: 1, opacity: 1 },
        })),
        ...(labelled ? endLabels(ends, box, level).map((a) => endLabel(a, box)) : []),
      ],
    });
    if (o.shade && o.shade[1] >= o.min && o.shade[0] <= o.last) {
      option.series.unshift({
        type: "line", data: [], silent: true, z: 0,
        markArea: {
          silent: true, z: 0, itemStyle: { color: css("--shade") }, label: { show: (o.shade[1] - Math.max(o.min, o.shade[0])) / (o.last - o.min) > 0.15, position: "top", distance: 9, color: css("--soft"), fontSize: 12, formatter: "trained" },
          data: [[{ xAxis: Math.max(o.min, o.shade[0]) }, { xAxis: Math.min(o.last, o.shade[1]) }]],
        },
      });
    }
    if (o.chance) {
      option.series.push({ type: "line", silent: true, z: 2, data: o.chance, symbol: "none", lineStyle: { color: css("--soft"), width: 1.5, type: "dotted" }, tooltip: { show: false } });
    }
    Object.assign(option.tooltip, {
      trigger: "axis", axisPointer: { type: "line", lineStyle: { color: css("--axis") } },
      formatter: (items) => {
        const x = items[0].value[0], at = o.lengths.filter((length) => lines.some((l) => l.points.some((p) => p.x === x && p.length === length)));
        const of = (length) => lines.map((l) => [l, l.points.find((p) => p.length === length)]).filter(([, p]) => p).sort((a, b) => b[1].y - a[1].y);
        return at.map((length) => `<b>length ${label(length)}</b>` + of(length).map(([l, p]) => `<br>${mark(l.series)} ${escape(l.name)}&ensp;<b>${o.show(p.y)}</b>` +
          ` <span style="color:${css("--soft")}">${spread(p, o.show)}</span>`).join("")).join("<br>") +
          chart.limits.filter((l) => l.x === x).map((l) => `<br>roofline&ensp;<b>${o.show(l.low)}</b>` + (l.low < l.high ? ` to <b>${o.show(l.high)}</b>` : "")).join("");
      },
    });
    instance(id).setOption(option, true);
  }

  // What the interval of a point is, and each run.
  function spread(p, show) {
    const interval = p.low !== null && p.low !== p.high ? `${show(p.low)} to ${show(p.high)}` : "";
    if (p.over === "prompts") return "1 run" + (interval && `; ${interval} over its prompts`);
    return interval + (p.runs ? `${interval && "; "}runs ${p.runs.map((r) => (r === null ? "–" : show(r))).join(", ")}` : "");
  }

  const mark = (series) => `<svg viewBox="-1.4 -1.4 2.8 2.8" width="12" height="12" style="vertical-align:-1px"><path d="${study.encodings[series.encoding].path}" fill="${colour(series)}"/></svg>`;

  // The end of an axis from 0 that holds a value.
  function nice(v) {
    if (v <= 0) return 1;
    const unit = 10 ** Math.floor(Math.log10(v));
    return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((m) => m * unit).find((m) => m >= v * 1.02) ?? 10 * unit;
  }

  function accuracy(task) {
    const of = shownLines(drawing.tasks[state.task].accuracy[state.measure], task);
    const chance = task.x.map((x, i) => [x, task.chance[i] === null ? null : 100 * task.chance[i]]);
    const guess = state.measure === "exact" && chance.some((c) => c[1] !== null && c[1] >= 1);
    byId("chance-note").hidden = !guess;
    lineChart("chart-accuracy", of, {
      lengths: task.lengths, axis: task.axis, left: 52, max: 100, min: task.x[0], last: task.x[task.x.length - 1], tick: (v) => v + " %", show: (v) => percent(v / 100),
      shade: task.trained[1] > 0 && task.trained, chance: guess && chance,
    });
    byId("chart-accuracy").setAttribute("aria-label", `Line chart: ${measures[state.measure]} in percent against length on ${task.name}, a line for each of ${of.lines.length} encodings. The numbers follow in a table.`);
  }

  function costs(task, place) {
    for (const key of ["token", "tokens", "decode", "prefill", "memory"]) {
      const at = byId("chart-" + key);
      const of = shownLines(drawing.tasks[state.task].places[state.place][key], task), any = of.lines.length > 0;
      at.setAttribute("aria-label", `Line chart: ${at.dataset.label} in ${at.dataset.unit} against length on ${task.name}, ${place.name}. The numbers follow in a table.`);
      at.parentElement.hidden = !any;
      if (!any) continue;
      lineChart("chart-" + key, of, {
        lengths: task.lengths, axis: task.axis, left: 56, min: task.x[0], last: task.x[task.x.length - 1], octaves: task.octaves, tick: (v) => v.toLocaleString("en"), show: (v) => short(v) + " " + at.dataset.unit, shade: task.trained[1] > 0 && task.trained,
      });
    }
    byId("ram-note").hidden = !place.upperRAM;
  }

  function tradeoff(task, place) {
    const at = byId("chart-tradeoff");
    const points = place.series.map((c) => ({ series: task.series[c.series], score: scores[state.measure][state.task][c.series], cost: c.points.find((p) => p.length === place.common) }))
      .filter((p) => p.cost && p.cost.values.decode.median !== null && shown(p.series) && p.score !== null);
    at.closest("section").hidden = points.length === 0;
    if (!points.length || !at.clientWidth) return;
    const lines = points.map((p) => ({ name: p.series.name, series: p.series, points: [{ x: p.cost.values.decode.median, y: 100 * p.score }] }));
    at.style.height = Math.max(336, 16 * lines.length + 90) + "px";
    const most = nice(1.1 * Math.max(...points.map((p) => p.cost.values.decode.median)));
    const grid = { left: 52, right: Math.min(0.4 * at.clientWidth, nameRoom(lines)), top: 24, bottom: 52 };
    const high = Math.min(100, nice(120 * Math.max(0.08, ...points.map((p) => p.score))));
    const box = { top: grid.top, height: at.clientHeight - grid.top - grid.bottom, right: at.clientWidth - grid.right };
    const option = Object.assign(base(), {
      grid,
      xAxis: axis(`median decode step at length ${label(place.common)}, ms`, { type: "value", min: 0, max: most }),
      yAxis: axis("", { type: "value", min: 0, max: high, axisLine: { show: false }, axisLabel: { color: css("--soft"), fontSize: 12, formatter: (v) => v + " %" } }),
      series: lines.map((l) => ({
        type: "scatter", name: l.name, symbol: symbol(l.series), symbolSize: 15, data: [[l.points[0].x, l.points[0].y]], itemStyle: { color: colour(l.series), opacity: 1 },
      })).concat(endLabels(lines, box, (y) => y / high).map((a) => endLabel(a, box, false))), // names stand right of the axes, not on them
    });
    option.tooltip.formatter = (i) => { const p = points[i.seriesIndex]; return `${mark(p.series)} <b>${escape(p.series.name)}</b><br>${percent(p.score)} ${measures[state.measure]} beyond the trained lengths<br>${short(p.cost.values.decode.median)} ms a step`; };
    instance("chart-tradeoff").resize();
    instance("chart-tradeoff").setOption(option, true);
    at.setAttribute("aria-label", `Scatter chart: ${measures[state.measure]} beyond the trained lengths against the median decode step on ${task.name}, ${place.name}. The numbers follow in a table.`);
  }

  // A colour of the heat map: low, middle and high ends are the theme's.
  function heat(v) {
    const stops = ["--heat-low", "--heat-mid", "--heat-high"].map((n) => css(n).match(/\w\w/g).map((h) => parseInt(h, 16)));
    const [a, b, t] = v < 0.5 ? [stops[0], stops[1], v * 2] : [stops[1], stops[2], v * 2 - 1];
    return a.map((x, i) => Math.round(x + (b[i] - x) * t));
  }
  const luminance = (rgb) => { const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };

  function heatMap() {
    const at = byId("chart-heat");
    if (!at || !at.clientWidth) return;
    const names = [];
    study.encodings.forEach((_, e) => study.tasks.forEach((t) => t.series.forEach((s) => { if (s.encoding === e && shown(s) && !names.includes(s.name)) names.push(s.name); })));
    const scored = study.tasks.filter((t) => t.scored), tasks = scored.map((t) => t.name + (t.atChance ? " (at chance)" : ""));
    const data = scored.flatMap((t, y) => t.series.filter(shown).filter((s) => score(t, s) !== null).map((s) => {
      const rgb = heat(score(t, s)); // black or white: one of them has a contrast of at least 4.58
      return { value: [names.indexOf(s.name), y, score(t, s)], unfit: unfit(s), itemStyle: { color: `rgb(${rgb})` }, label: { show: true, color: luminance(rgb) > 0.179 ? "#000000" : "#ffffff" } };
    }));
    const narrow = at.clientWidth < 620;
    const option = Object.assign(base(), {
      grid: { left: Math.max(...tasks.map((t) => t.length)) * 7 + 16, right: 8, top: narrow ? 92 : 34, bottom: 8 },
      xAxis: axis("", { type: "category", data: names, position: "top", axisLine: { show: false }, splitLine: { show: false }, axisLabel: { color: css("--ink"), fontSize: 13, interval: 0, rotate: narrow ? 60 : 0 } }),
      yAxis: axis("", { type: "category", data: tasks, inverse: true, axisLine: { show: false }, splitLine: { show: false }, axisLabel: { color: css("--ink"), fontSize: 13, interval: 0 } }),
      visualMap: { show: false, min: 0, max: 1, dimension: 2, seriesIndex: [] },
      series: [{ type: "heatmap", data, itemStyle: { borderColor: css("--paper"), borderWidth: 2, borderRadius: 3 }, label: { show: true, fontSize: 12.5, formatter: (i) => percent(i.value[2]).replace(" %", "") + (i.data.unfit ? "†" : "") }, emphasis: { itemStyle: { borderColor: css("--ink") } } }],
    });
    option.tooltip.formatter = (i) => `${escape(tasks[i.value[1]])}, ${escape(names[i.value[0]])}<br><b>${percent(i.value[2])}</b> ${measures[state.measure]} beyond the trained lengths${i.data.unfit ? "<br>no run fitted" : ""}`;
    instance("chart-heat").setOption(option, true);
    at.setAttribute("aria-label", `Heat map: mean ${measures[state.measure]} beyond the trained lengths, ${tasks.length} tasks by ${names.length} encodings. The numbers follow in a table.`);
  }

  function published(task) {
    const at = byId("chart-published");
    if (!at) return;
    at.closest("section").hidden = !task.scored;
    const of = (study.published ?? []).filter((c) => c.task === task.name && shown(c));
    at.hidden = of.length === 0;
    byId("no-published").hidden = of.length > 0;
    if (!of.length) return;
    at.style.height = 84 + 34 * of.length + "px";
    if (!at.clientWidth) return;
    const several = of.length > new Set(of.map((c) => c.name)).size; // lengths of one series
    const names = of.map((c) => (several ? c.name + ", " + c.lengths : c.name));
    const dots = (hollow) => of.map((c, i) => ({
      value: [100 * (hollow ? c.published : c.here), i], symbol: symbol(c),
      itemStyle: hollow ? { color: css("--paper"), borderColor: colour(c), borderWidth: 2, opacity: 1 } : { color: colour(c), opacity: 1 },
    }));
    const option = Object.assign(base(), {
      grid: { left: Math.max(...names.map((n) => n.length)) * 7.4 + 16, right: 92, top: 12, bottom: 52 },
      xAxis: axis("exact match", { type: "value", min: 0, max: 100, splitNumber: at.clientWidth < 520 ? 2 : 5, axisLabel: { color: css("--soft"), fontSize: 12, formatter: (v) => v + " %" } }),
      yAxis: [
        axis("", { type: "category", data: names, inverse: true, axisLine: { show: false }, splitLine: { show: false }, axisLabel: { color: css("--ink"), fontSize: 13 } }),
        axis("", { type: "category", data: of.map((c) => `${c.difference < 0 ? "−" : "+"}${Math.abs(100 * c.difference).toFixed(1)} points`), inverse: true, position: "right", axisLine: { show: false }, splitLine: { show: false }, axisLabel: { color: css("--soft"), fontSize: 12 } }),
      ],
      series: [
        {
          type: "custom", silent: true, z: 1, data: of.map((c, i) => [100 * c.here, i, 100 * c.published]), encode: { x: [0, 2], y: 1 },
          renderItem: (params, api) => {
            const [x1, y] = api.coord([api.value(0), api.value(1)]), [x2] = api.coord([api.value(2), api.value(1)]);
            return { type: "line", shape: { x1, y1: y, x2, y2: y }, style: { stroke: colour(of[params.dataIndex]), lineWidth: 2, opacity: 0.45 } };
          },
        },
        { type: "scatter", silent: true, z: 2, symbol: "circle", symbolSize: 5, data: of.flatMap((c, i) => (c.ours.fit.runs > 1 ? c.ours.all.runs : []).map((r) => ({ value: [100 * r, i], itemStyle: { color: colour(c), opacity: 0.7 } }))) },
        { type: "scatter", name: "published", z: 2, symbolSize: 14, data: dots(true) },
        { type: "scatter", name: "here", z: 3, symbolSize: 14, data: dots(false) },
      ],
    });
    option.tooltip.formatter = (i) => { const c = of[i.dataIndex]; return `${mark(c)} <b>${escape(c.name)}</b><br>here ${percent(c.here)} (${escape(fitText(c.ours.fit))}), published ${percent(c.published)} (${escape(fitText(c.theirs.fit))})<br><span style="color:${css("--soft")}">${escape(c.setup).replaceAll("; ", "<br>")}</span>`; };
    instance("chart-published").setOption(option, true);
    if (charts.get("chart-published").getHeight() !== at.clientHeight) charts.get("chart-published").resize();
    at.setAttribute("aria-label", `Dot chart: exact match on ${task.name}, here and as published, for ${new Set(of.map((c) => c.name)).size} encodings. The numbers follow in a table.`);
  }

  function draw() {
    const task = study.tasks[state.task], place = task.places[state.place];
    document.querySelectorAll("[data-task],[data-measure]").forEach((e) => {
      e.hidden = ["task", "place", "measure"].some((key) => e.dataset[key] !== undefined && e.dataset[key] !== String(state[key]));
    });
    document.querySelectorAll("h2 .of").forEach((e) => { e.textContent = study.tasks.length > 1 ? (task.scored ? " on " : ": ") + task.name : ""; });
    document.querySelectorAll("h2 .by").forEach((e) => { e.textContent = task.scored ? ", by " + measures[state.measure] : ""; });
    byId("where").textContent = place ? "Measured on " + place.name : "";
    // Costs at one length stand in the headline.
    const curves = place && (!task.scored || new Set(place.series.flatMap((c) => c.points.map((p) => p.length))).size > 1);
    byId("cost").closest("section").hidden = !curves;
    byId("tradeoff").closest("section").hidden = !place;
    byId("accuracy").closest("section").hidden = !task.scored;
    if (task.scored) accuracy(task);
    if (curves) costs(task, place);
    if (place) tradeoff(task, place);
    heatMap();
    published(task);
    hints();
  }

  // A table that is wider than its box says that it scrolls.
  function hints() {
    document.querySelectorAll(".scroll").forEach((e) => e.classList.toggle("wide", e.scrollWidth > e.clientWidth + 1));
  }
  document.addEventListener("toggle", hints, true); // of details, which does not bubble

  function fillPlaces() {
    const places = study.tasks[state.task].places;
    state.place = 0;
    byId("place").replaceChildren(...places.map((p, i) => new Option(p.name, i)));
    byId("place").parentElement.hidden = places.length < 2;
  }

  // The address names the task, measure and place that are shown, so that a link or a
  // bookmark shows the same again. Names that are not in the study are said.
  function keepAddress() {
    const task = study.tasks[state.task], of = new URLSearchParams({ task: task.name, measure: state.measure });
    if (state.place > 0) of.set("place", task.places[state.place].name);
    history.replaceState(null, "", "#" + of);
  }
  function readAddress() {
    const of = new URLSearchParams(location.hash.slice(1)), unknown = [];
    const index = (key, names, first = 0) => {
      if (!of.has(key)) return first;
      const i = names.indexOf(of.get(key));
      if (i < 0) unknown.push(`no ${key} “${of.get(key)}”`);
      return i < 0 ? first : i;
    };
    state.task = index("task", study.tasks.map((t) => t.name), study.first);
    state.measure = Object.keys(measures)[index("measure", Object.keys(measures))];
    fillPlaces();
    state.place = index("place", study.tasks[state.task].places.map((p) => p.name));
    if (byId("task")) byId("task").value = state.task;
    byId("measure").value = state.measure;
    byId("place").value = state.place;
    byId("unknown").hidden = unknown.length === 0;
    byId("unknown").textContent = `The address asks for what this report does not have: ${unknown.join(", ")}.`;
    draw();
  }

  const chosen = () => { byId("unknown").hidden = true; keepAddress(); draw(); };
  byId("task")?.addEventListener("change", (e) => { state.task = +e.target.value; fillPlaces(); chosen(); });
  byId("measure").addEventListener("change", (e) => { state.measure = e.target.value; chosen(); });
  byId("place").addEventListener("change", (e) => { state.place = +e.target.value; chosen(); });
  addEventListener("hashchange", readAddress);
  document.querySelector(".skip").addEventListener("click", (e) => { // without its own address
    e.preventDefault();
    byId("results").focus();
    byId("results").scrollIntoView();
  });
  byId("legend").addEventListener("click", (e) => {
    const chip = e.target.closest(".chip");
    if (!chip) return;
    const encoding = +chip.dataset.encoding, hide = !state.hidden.has(encoding);
    hide ? state.hidden.add(encoding) : state.hidden.delete(encoding);
    chip.setAttribute("aria-pressed", String(!hide));
    draw();
  });
  const isDark = () => (root.dataset.theme ?? (darkSystem.matches ? "dark" : "light")) === "dark";
  byId("theme").addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; draw(); });
  darkSystem.addEventListener("change", draw);
  // Paper is light and narrow on every screen.
  function fit() { charts.forEach((c) => c.resize()); draw(); }
  let before;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.dataset.theme = "light";
    root.dataset.print = "";
    fit();
  });
  addEventListener("afterprint", () => { delete root.dataset.print; before === undefined ? delete root.dataset.theme : (root.dataset.theme = before); fit(); });
  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(fit);
  });
  readAddress();
})();
