// SPDX-License-Identifier: MIT
// One run: its state (clock, window of time, what is pointed at and chosen), and everything that follows from
// it.
'use strict';

const NEAR = 6,
  LEAST_SPAN = { steps: 4, ns: 100 };

class Run {
  constructor(data, id) {
    Object.assign(this, data, { id, open: new Set(), chosen: null, finding: -1, at: 0, changed: null });
    this.clip = `${id}-clip`;
    for (const view of this.views) this.prepare(view);
    this.span = Math.max(
      this.modules.reduce((s, m) => s + m.critical, 0),
      1,
    );
    this.from = 0;
    this.to = this.view.end + 1;
    this.build();
  }

  get view() {
    return this.views[this.at];
  }

  prepare(view) {
    view.last = view.end;
    prepareChart(view);
    view.byModule = this.modules.map(() => []);
    view.rowOfProcess = new Map();
    if (view.kind === 'places') {
      decodePlaces(view);
      return;
    }
    view.rows.forEach((row, i) => {
      decodeRow(row);
      view.byModule[row.module].push(i);
      view.rowOfProcess.set(row.process, i);
    });
    decodeArrows(view);
  }

  // The layer behind the last module with a curve of its own is all others.
  colour(rank, view) {
    return view && rank === view.sums.length - 1 && this.modules.length > view.sums.length
      ? 'var(--bars)'
      : this.modules[rank].colour;
  }

  // ---- Building -------------------------------------------------------------------------------

  button(text, label, action) {
    return el('button', { type: 'button', 'aria-label': label, title: label, onclick: action }, text);
  }

  build() {
    this.chart = draw('svg', {
      tabindex: 0,
      role: 'group',
      'aria-roledescription': 'picture',
      'aria-describedby': `${this.id}-keys`,
      'aria-label': `Parallelism and ${this.view.kind} of ${this.title}`,
    });
    this.lanes = draw('svg', { role: 'group', 'aria-label': `${this.view.kind} of ${this.title}` });
    this.tip = el('div', { class: 'tip', hidden: '', role: 'tooltip' });
    this.rowsBox = el('div', { class: 'rows' }, this.lanes);
    this.picture = el('div', { class: 'picture' }, this.chart, this.rowsBox, this.tip);
    this.note = el('p', { class: 'quiet small' });
    this.window = el('span', { class: 'quiet small', 'aria-live': 'polite' });
    this.details = el(
      'div',
      { class: 'details', 'aria-live': 'polite' },
      el('p', { class: 'quiet' }, 'Choose a box, an arrow or a finding: here stands what it is.'),
    );
    this.source = el('div', { class: 'source', tabindex: 0, role: 'region' });
    this.sourceName = el(
      'select',
      { 'aria-label': 'source', onchange: (e) => this.showSource(Number(e.target.value), 1) },
      ...this.sources.map((s, i) => el('option', { value: i }, s.name)),
    );
    this.node = el(
      'section',
      { class: 'run', id: this.id, 'aria-label': this.title },
      el('p', { class: 'sentence' }, this.sentence),
      ...this.remarks.map((r) => el('p', { class: 'remark small' }, r)),
      this.tools(),
      this.picture,
      this.note,
    );
    this.rest = [
      this.buildBelow(),
      el('h2', null, 'Modules'),
      el(
        'div',
        { class: 'cards' },
        ...this.modules.slice(0, this.cards).map((_, rank) => moduleCard(this, rank)),
      ),
      el('h2', null, 'Tables'),
      el('div', { class: 'tables' }, ...this.tables.map((t) => sortedTable(this, t))),
    ];
    this.listen();
    if (this.sources.length)
      this.showSource(...(this.findings.find((f) => f.places.length)?.places[0] || [0, 1]));
  }

  tools() {
    this.clocks =
      this.views.length > 1
        ? this.views.map((v, i) =>
            el(
              'button',
              { type: 'button', 'aria-pressed': String(i === this.at), onclick: () => this.setClock(i) },
              v.name,
            ),
          )
        : [];
    return el(
      'div',
      { class: 'tools', role: 'toolbar', 'aria-label': 'time' },
      ...this.clocks,
      this.button('−', 'zoom out', () => this.zoomBy(2)),
      this.button('+', 'zoom in', () => this.zoomBy(0.5)),
      this.button('◂', 'earlier', () => this.pan(-0.4)),
      this.button('▸', 'later', () => this.pan(0.4)),
      this.button('whole run', 'show the whole run', () => this.zoom(0, this.view.end + 1)),
      this.window,
      el('span', { class: 'space' }),
      el(
        'span',
        { class: 'quiet small keys', id: `${this.id}-keys` },
        'keys: + − ← → 0; [ ] from box to box; Enter follows; Esc',
      ),
    );
  }

  buildBelow() {
    const cards = this.findings.map((_, i) => findingCard(this, i));
    this.cardsOfFindings = cards;
    return el(
      'div',
      { class: 'below' },
      el(
        'section',
        null,
        el('h2', null, 'Chosen'),
        this.details,
        el('h2', null, 'Findings'),
        cards.length
          ? el('div', { class: 'cards' }, ...cards)
          : el('p', { class: 'quiet' }, 'no change was found that saves 5 % or more'),
      ),
      this.sources.length
        ? el(
            'section',
            null,
            el('h2', null, 'Source'),
            el('div', { class: 'tools' }, this.sourceName),
            this.source,
          )
        : null,
    );
  }

  // ---- Time -----------------------------------------------------------------------------------

  zoom(from, to) {
    const end = this.view.end + 1,
      least = Math.min(LEAST_SPAN[this.view.unit], end);
    let span = Math.min(Math.max(to - from, least), end);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - span / 2, 0), end - span);
    this.to = this.from + span;
    this.redraw();
    if (this.changed) this.changed(this);
  }

  zoomBy(factor, middle = (this.from + this.to) / 2) {
    this.zoom(middle - (middle - this.from) * factor, middle + (this.to - middle) * factor);
  }

  pan(share) {
    const d = Math.min(Math.max((this.to - this.from) * share, -this.from), this.view.end + 1 - this.to);
    this.zoom(this.from + d, this.to + d);
  }

  setClock(i) {
    this.choose(null); // what is chosen is of the other clock
    this.at = i;
    this.clocks.forEach((b, k) => b.setAttribute('aria-pressed', String(k === i)));
    this.zoom(0, this.view.end + 1);
  }

  // ---- Drawing --------------------------------------------------------------------------------

  redraw() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    this.waits = false;
    const width = Math.max(this.picture.clientWidth || 900, 200),
      narrow = width < 620,
      x = !narrow ? 170 : this.view.kind === 'places' ? 76 : 40;
    const plotW = width - x - 14,
      { from, to } = this;
    this.frame = {
      width,
      x,
      plotW,
      from,
      to,
      narrow,
      toX: (t) => x + ((t - from) / (to - from)) * plotW,
      toTime: (px) => from + ((px - x) / plotW) * (to - from),
    };
    this.drawTop();
    this.drawRows();
    this.drawMarks();
    this.window.textContent = this.windowText(from, to);
  }

  // Of two runs on one axis the shorter one has ended before the axis does.
  windowText(from, to) {
    const last = this.view.last,
      whole = duration(this.view, last),
      at = (t) => moment(this.view, Math.min(Math.round(t), last));
    return from > last ? `after the end (${whole})` : `${at(from)} – ${at(to)} of ${whole}`;
  }

  drawTop() {
    const g = draw('g');
    drawOverview(g, this, this.view, this.frame);
    const h = drawChart(this, g, this, this.view, this.frame);
    this.chart.replaceChildren(clipOf(`${this.clip}-top`, this.frame, h, 0), g);
    sizeOf(this.chart, this.frame.width, h);
    if (!this.frame.narrow) {
      g.append(draw('text', { class: 'quiet', x: 12, y: OVERVIEW_H + 17 }, this.view.name));
      g.append(draw('text', { class: 'head', x: 12, y: h - PATH_H - 16 }, 'parallelism'));
      g.append(draw('text', { class: 'quiet', x: 12, y: h - PATH_H - 2 }, 'by module'));
      g.append(draw('text', { class: 'quiet', x: 12, y: h - 7 }, 'critical path'));
    }
    this.marksTop = draw('g', { 'clip-path': `url(#${this.clip})` });
    this.chart.append(this.marksTop);
    this.topH = h;
  }

  drawRows() {
    const g = draw('g'),
      drawKind = this.view.kind === 'places' ? drawPlaces : drawProcesses;
    this.drawn = drawKind(this, g, this, this.view, this.frame);
    this.marks = draw('g', { 'clip-path': `url(#${this.clip})` });
    this.lanes.replaceChildren(clipOf(this.clip, this.frame, this.drawn.height), g, this.marks);
    sizeOf(this.lanes, this.frame.width, this.drawn.height);
    this.note.textContent = this.drawn.note;
  }

  toggle(rank) {
    this.open.add(rank);
    this.redraw();
  }

  // What is chosen and the finding that is shown, over the picture.
  drawMarks() {
    this.marks.replaceChildren();
    this.marksTop.replaceChildren();
    const focus = this.finding >= 0 ? this.view.focus[this.finding] : null;
    if (focus) this.frameFinding(focus);
    if (this.chosen && this.chosen.arrow !== undefined) {
      const mark = this.drawn.arrows.find((a) => a.arrow === this.chosen.arrow);
      if (mark)
        this.marks.append(
          draw('path', { class: 'chosen', d: arrowPath(mark) }),
          draw('path', { d: arrowHead(mark, 6), fill: 'var(--amber)' }),
        );
    } else if (this.chosen) {
      const s = this.drawn.shapes.find((k) => sameShape(k, this.chosen)) || this.shapeOfAct(this.chosen);
      if (s) {
        const x0 = s.has ? Math.min(s.x0, s.s0) : s.s0,
          h = s.h || BOX;
        this.marks.append(
          draw('rect', {
            class: 'chosen',
            x: x0 - 2,
            y: s.y - 2,
            width: Math.max(s.s1 - x0, 1) + 4,
            height: h + 4,
            rx: 2,
          }),
        );
      }
    }
  }

  // One that is too narrow to be drawn by itself.
  shapeOfAct({ kind, row, act }) {
    if (kind !== 'act') return null;
    const lane = this.drawn.plan.laneOf.get(row),
      a = this.view.rows[row].act[act];
    return { s0: this.frame.toX(a.start), s1: this.frame.toX(a.end), y: lane.y, h: lane.h };
  }

  frameFinding([from, to, place]) {
    const f = this.frame,
      x0 = f.toX(from) - 3,
      x1 = f.toX(to) + 3,
      row = this.view.kind === 'places' ? place : this.view.rowOfProcess.get(place);
    const lane = row !== undefined ? this.drawn.plan.laneOf.get(row) : null;
    const y0 = lane ? lane.y - 3 : 2,
      y1 = lane ? lane.y + lane.h + 3 : this.drawn.height - 2;
    this.marks.append(
      draw('rect', {
        class: 'frame finding-frame',
        x: x0,
        y: y0,
        width: Math.max(x1 - x0, 4),
        height: y1 - y0,
        rx: 4,
      }),
    );
    const top = OVERVIEW_H + AXIS_H + 4;
    this.marksTop.append(
      draw('rect', {
        class: 'frame',
        x: x0,
        y: top,
        width: Math.max(x1 - x0, 4),
        height: this.topH - top - 2,
        rx: 4,
      }),
    );
    if (lane) this.scrollTo(lane);
  }

  scrollTo(lane) {
    const box = this.rowsBox;
    if (lane.y < box.scrollTop || lane.y + (lane.h || BOX) > box.scrollTop + box.clientHeight)
      box.scrollTop = Math.max(lane.y - 60, 0);
  }

  // ---- Pointing and choosing ------------------------------------------------------------------

  // What stands at a place of the rows: a shape before an arrow, as it lies above.
  hit(x, y) {
    const act = this.view.kind === 'places' ? actAt(this.view, this.drawn, this.frame, x, y) : null;
    if (act) return act;
    for (let i = this.drawn.shapes.length; i-- > 0;) {
      const s = this.drawn.shapes[i],
        left = s.has ? Math.min(s.x0, s.s0) : s.s0;
      if (y >= s.y - 1 && y <= s.y + (s.h || BOX) + 1 && x >= left - 1 && x <= Math.max(s.s1, s.x1) + 1)
        return s;
    }
    let best = null,
      distance = NEAR;
    for (const a of this.drawn.arrows) {
      const d = arrowDistance(a, x, y);
      if (d < distance) {
        distance = d;
        best = a;
      }
    }
    return best;
  }

  describe(what) {
    const view = this.view;
    if (what.kind === 'node') {
      const row = view.rows[what.row],
        n = row.node[what.node],
        s = this.spots[n.spot];
      const needs = n.has ? `needs inputs of ${spanText(view, n.a, n.b)}` : 'needs nothing of others';
      return {
        title: s[0],
        spot: s,
        lines: [
          `${this.modules[row.module].name} · ${row.name}`,
          `${needs}; gives at ${spanText(view, n.c, n.d)}`,
        ],
      };
    }
    if (what.kind === 'goal')
      return {
        title: what.goal.name,
        lines: [`waits for ever, since ${moment(view, what.goal.from)}`, ...what.goal.text.split('\n')],
      };
    if (what.kind === 'act') {
      const row = view.rows[what.row],
        a = row.act[what.act],
        s = this.spots[a.spot];
      return {
        title: s[0],
        spot: s,
        lines: [
          `${row.name} · ${this.modules[s[3]].name}${s[4] > WAITS ? ' · waits' : ''}`,
          `${duration(view, a.end - a.start)}, from ${moment(view, a.start)}`,
        ],
      };
    }
    if (what.kind === 'hand') {
      const h = view.hand[what.arrow],
        kinds = ['lock', 'task', 'message', 'collective'];
      return {
        title: `${kinds[h.kind]}: ${view.rows[h.fromRow].name} → ${view.rows[h.toRow].name}`,
        lines: [
          `from ${moment(view, h.made)} to ${moment(view, h.read)}: ${duration(view, h.read - h.made)}`,
        ],
      };
    }
    const a = view.arrow[what.arrow],
      name = (r) => this.modules[moduleOfRow(view, r)].name;
    return {
      title: a.name || `${name(a.fromRow)} → ${name(a.toRow)}`,
      lines: [
        `${name(a.fromRow)} → ${name(a.toRow)}`,
        `made at ${moment(view, a.made)}, read at ${moment(view, a.read)}` +
          (a.wait > 0 ? `; its reader had waited ${duration(view, a.wait)}` : '; nobody waited'),
      ],
    };
  }

  showTip(what, x, y) {
    if (!what) {
      this.tip.hidden = true;
      return;
    }
    const d = this.describe(what);
    this.tip.replaceChildren(
      el('b', null, d.title),
      [...d.lines, d.spot ? this.spotName(d.spot) : ''].filter(Boolean).join('\n'),
    );
    this.tip.hidden = false;
    const w = this.tip.offsetWidth,
      h = this.tip.offsetHeight,
      box = this.picture.getBoundingClientRect();
    this.tip.style.left = `${Math.max(Math.min(x + 14, box.width - w - 4), 4)}px`;
    this.tip.style.top = `${y + 16 + h > box.height ? Math.max(y - h - 10, 0) : y + 16}px`;
  }

  spotName([, source, line]) {
    return source >= 0 && line ? `${baseName(this.sources[source].name)}:${line}` : '';
  }

  choose(what, reveal = false) {
    const { kind, row, node, act, goal, arrow } = what || {};
    this.chosen = what && { kind, row, node, act, goal, arrow };
    if (!what) {
      this.details.replaceChildren(el('p', { class: 'quiet' }, 'Nothing is chosen.'));
      this.drawMarks();
      return;
    }
    const d = this.describe(what);
    this.details.replaceChildren(
      el('p', null, el('code', null, d.title)),
      ...d.lines.map((l) => el('p', { class: 'quiet' }, l)),
      ...(d.spot && this.spotName(d.spot) ? [placesOf(this, [[d.spot[1], d.spot[2]]])] : []),
      this.linksOf(what),
    );
    if (d.spot && d.spot[1] >= 0 && d.spot[2]) this.showSource(d.spot[1], d.spot[2]);
    if (reveal) this.reveal(what);
    else this.drawMarks();
  }

  // The arrows of a box, or the boxes of an arrow: each a button that follows it.
  linksOf(what) {
    const view = this.view,
      follow = (text, to) =>
        el('li', null, el('button', { type: 'button', onclick: () => this.choose(to, true) }, text));
    if (what.kind === 'arrow') {
      const a = view.arrow[what.arrow],
        ends = [];
      if (a.fromRow >= 0 && a.fromNode >= 0)
        ends.push(follow('the box that made it', { kind: 'node', row: a.fromRow, node: a.fromNode }));
      if (a.toRow >= 0 && a.toNode >= 0)
        ends.push(follow('the box that read it', { kind: 'node', row: a.toRow, node: a.toNode }));
      return el('ul', { class: 'links' }, ...ends);
    }
    if (what.kind !== 'node') return null;
    const of = (a, i) => ({ a, i });
    const inward = view.arrow
      .map(of)
      .filter(({ a }) => a.toRow === what.row && a.toNode === what.node)
      .sort((p, q) => q.a.wait - p.a.wait);
    const outward = view.arrow
      .map(of)
      .filter(({ a }) => a.fromRow === what.row && a.fromNode === what.node);
    const name = (a, r) => `${a.name || 'a value'} · ${this.modules[moduleOfRow(view, r)].name}`;
    return el(
      'ul',
      { class: 'links' },
      ...inward
        .slice(0, 8)
        .map(({ a, i }) =>
          follow(`← ${name(a, a.fromRow)}${a.wait > 0 ? `, waited ${duration(view, a.wait)}` : ''}`, {
            kind: 'arrow',
            arrow: i,
          }),
        ),
      ...outward
        .slice(0, 8)
        .map(({ a, i }) => follow(`→ ${name(a, a.toRow)}`, { kind: 'arrow', arrow: i })),
    );
  }

  // Moves the window so that the thing is in it.
  reveal(what) {
    const view = this.view;
    const [a, b] =
      what.kind === 'node'
        ? [view.rows[what.row].node[what.node].a, view.rows[what.row].node[what.node].d]
        : what.kind === 'act'
          ? [view.rows[what.row].act[what.act].start, view.rows[what.row].act[what.act].end]
          : [(view.arrow || view.hand)[what.arrow].made, (view.arrow || view.hand)[what.arrow].read];
    const span = this.to - this.from;
    if (what.row !== undefined && view.kind === 'processes') this.open.add(view.rows[what.row].module);
    if (a < this.from || b > this.to)
      this.zoom(
        (a + b) / 2 - Math.max(span, 1.2 * (b - a)) / 2,
        (a + b) / 2 + Math.max(span, 1.2 * (b - a)) / 2,
      );
    this.drawNow();
    const lane = what.row !== undefined ? this.drawn.plan.laneOf.get(what.row) : null;
    if (lane) this.scrollTo(lane);
  }

  // The next box in time, so that the keyboard reaches each.
  step(direction) {
    const all = [...this.drawn.shapes];
    if (!all.length) return;
    all.sort((p, q) => p.s0 - q.s0 || p.y - q.y);
    const i = this.chosen ? all.findIndex((s) => sameShape(s, this.chosen)) : -1;
    const next = all[i < 0 ? (direction > 0 ? 0 : all.length - 1) : i + direction];
    if (next) {
      this.choose(next);
      this.scrollTo(next);
    }
  }

  follow() {
    const first = this.details.querySelector('.links button');
    if (first) first.click();
  }

  showFinding(i) {
    const focus = this.view.focus[i],
      places = this.findings[i].places;
    this.finding = i;
    this.chosen = null;
    this.cardsOfFindings.forEach((c, k) => c.setAttribute('aria-current', String(k === i)));
    if (places.length) this.showSource(...places[0]);
    if (focus) {
      const margin = Math.max((focus[1] - focus[0]) * 0.08, 1);
      const row = this.view.kind === 'processes' ? this.view.rowOfProcess.get(focus[2]) : undefined;
      if (row !== undefined && this.view.byModule[this.view.rows[row].module].length > SHOWN)
        this.open.add(this.view.rows[row].module);
      this.zoom(focus[0] - margin, focus[1] + margin);
    }
    this.drawNow();
    this.picture.scrollIntoView({ block: 'nearest' });
  }

  showSource(source, line) {
    this.sourceName.value = String(source);
    showSourceLines(this.source, this, source, line);
  }

  // ---- Input ----------------------------------------------------------------------------------

  place(e, svg) {
    const box = svg.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  }

  listen() {
    this.lanes.addEventListener('pointermove', (e) => this.hover(e));
    this.lanes.addEventListener('pointerleave', () => this.showTip(null));
    this.lanes.addEventListener('click', (e) => {
      if (!this.dragged) this.choose(this.hit(...this.place(e, this.lanes)));
    });
    for (const svg of [this.chart, this.lanes]) {
      svg.addEventListener('wheel', (e) => this.wheel(e, svg), { passive: false });
      svg.addEventListener('pointerdown', (e) => this.press(e, svg));
    }
    this.chart.addEventListener('keydown', (e) => this.key(e));
    new ResizeObserver(() => this.redraw()).observe(this.picture);
  }

  hover(e) {
    if (!this.drawn || this.pressed) return;
    const [x, y] = this.place(e, this.lanes),
      box = this.picture.getBoundingClientRect();
    const what = this.hit(x, y);
    this.lanes.classList.toggle('over', Boolean(what));
    this.showTip(what, e.clientX - box.left, e.clientY - box.top);
  }

  // With Control or sideways: without, the page scrolls.
  wheel(e, svg) {
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      e.preventDefault();
      this.pan(e.deltaX / this.frame.plotW);
      return;
    }
    if (!e.ctrlKey && svg === this.lanes) return;
    e.preventDefault();
    this.zoomBy(
      2 ** (Math.max(Math.min(e.deltaY, 200), -200) / 200),
      this.frame.toTime(this.place(e, svg)[0]),
    );
  }

  // One finger or the mouse drags time; two zoom; a stretch of the chart with the mouse is zoomed to.
  press(e, svg) {
    const touches = this.touches || (this.touches = new Map());
    touches.set(e.pointerId, e.clientX);
    const start = {
      x: this.place(e, svg)[0],
      from: this.from,
      to: this.to,
      spread: [...touches.values()],
      chooses: svg === this.chart && e.pointerType === 'mouse',
    };
    this.dragged = false;
    this.pressed = true;
    const move = (m) => {
      touches.set(m.pointerId, m.clientX);
      if (touches.size === 2 && start.spread.length === 2) this.pinch(start, [...touches.values()]);
      else if (touches.size === 1) this.drag(start, this.place(m, svg)[0]);
    };
    const end = (m) => {
      touches.delete(m.pointerId);
      this.pressed = false;
      for (const [type, f] of [
        ['pointermove', move],
        ['pointerup', end],
        ['pointercancel', end],
      ])
        window.removeEventListener(type, f);
      if (start.chooses && this.dragged && m.type === 'pointerup')
        this.zoom(...[start.x, start.last].map(this.frame.toTime).sort((a, b) => a - b));
    };
    for (const [type, f] of [
      ['pointermove', move],
      ['pointerup', end],
      ['pointercancel', end],
    ])
      window.addEventListener(type, f);
  }

  drag(start, x) {
    if (Math.abs(x - start.x) < 4 && !this.dragged) return;
    this.dragged = true;
    start.last = Math.min(Math.max(x, this.frame.x), this.frame.x + this.frame.plotW);
    if (start.chooses) {
      const a = Math.min(start.x, start.last),
        b = Math.max(start.x, start.last);
      this.marksTop.replaceChildren(
        draw('rect', { class: 'choosing', x: a, y: 0, width: b - a, height: this.topH }),
      );
    } else {
      const d = ((start.x - x) / this.frame.plotW) * (start.to - start.from);
      this.zoom(start.from + d, start.to + d);
    }
  }

  pinch(start, [a, b]) {
    const before = Math.max(Math.abs(start.spread[1] - start.spread[0]), 20),
      now = Math.max(Math.abs(b - a), 20),
      middle = (start.from + start.to) / 2;
    this.dragged = true;
    this.zoom(
      middle - ((middle - start.from) * before) / now,
      middle + ((start.to - middle) * before) / now,
    );
  }

  key(e) {
    const keys = {
      '+': () => this.zoomBy(0.5),
      '=': () => this.zoomBy(0.5),
      '-': () => this.zoomBy(2),
      0: () => this.zoom(0, this.view.end + 1),
      ArrowLeft: () => this.pan(-0.2),
      ArrowRight: () => this.pan(0.2),
      Home: () => this.zoom(0, this.to - this.from),
      End: () => this.zoom(this.view.end + 1 - (this.to - this.from), this.view.end + 1),
      ']': () => this.step(1),
      '[': () => this.step(-1),
      Enter: () => this.follow(),
      Escape: () => {
        this.finding = -1;
        this.choose(null);
        this.cardsOfFindings.forEach((c) => c.removeAttribute('aria-current'));
      },
    };
    if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    keys[e.key]();
  }
}

const sameShape = (s, t) => s.row === t.row && s.node === t.node && s.act === t.act && s.goal === t.goal;
const spanText = (view, a, b) => (a === b ? moment(view, a) : `${moment(view, a)}–${moment(view, b)}`);

// around: so many pixels that shapes of the first and the last step stick out.
function clipOf(id, frame, height, around = 6) {
  const place = {
    x: frame.x - around,
    y: 0,
    width: frame.plotW + 2 * around,
    height: Math.max(height, 300),
  };
  return draw('defs', null, draw('clipPath', { id }, draw('rect', place)));
}

function sizeOf(svg, width, height) {
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('height', height);
}
