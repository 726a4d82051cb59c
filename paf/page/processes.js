// SPDX-License-Identifier: MIT
// The rows of processes: boxes, one for each node of an IO-Tree, and arrows from outputs to inputs. What is
// drawn is kept as plain lists, which answer to the pointer: a picture of thousands of boxes has a few
// elements.
'use strict';

const PITCH = 10,
  BOX = 7,
  SHOWN = 30,
  MOST_TREE_ROWS = 24,
  BOX_ROOM = 7,
  MOST_FULL_ROWS = 8,
  MOST_DRAWN_ARROWS = 900,
  STRONG = 14;

function decodeRow(row) {
  if (!row.nodes || row.node) return;
  const n = row.nodes.length / 7;
  row.node = [];
  let before = 0;
  for (let i = 0; i < n; i++) {
    const [from, inputs, gap, outputs, parent, spot, has] = row.nodes.slice(7 * i, 7 * i + 7);
    const start = before + from;
    before = start;
    row.node.push({
      a: start,
      b: start + inputs,
      c: start + gap,
      d: start + gap + outputs,
      parent: parent ? i - parent : -1,
      spot,
      has,
    });
  }
}

function decodeArrows(view) {
  view.arrow = [];
  for (let i = 0; i + 7 < view.arrows.length; i += 8) {
    const [fromRow, fromNode, toRow, toNode, made, after, wait, name] = view.arrows.slice(i, i + 8);
    view.arrow.push({
      fromRow,
      fromNode,
      toRow,
      toNode,
      made,
      read: made + after,
      wait,
      name: name < 0 ? null : view.names[name],
    });
  }
}

const halfWidth = (zoom) => Math.min(Math.max(zoom * 0.33, 2), 9);

// Rows of the nodes so that no two overlap; for one zoom, in half octaves, so that panning moves nothing.
function packRow(row, zoom) {
  const level = Math.floor(2 * Math.log2(zoom)),
    coarse = 2 ** (level / 2),
    half = halfWidth(coarse);
  if (row.level === level) return row.height;
  row.level = level;
  const left = (k) => Math.min(row.node[k].a, row.node[k].c) * coarse - half;
  const order = row.node.map((_, k) => k).sort((x, y) => left(x) - left(y) || x - y),
    ends = [];
  for (const k of order) {
    const x = left(k),
      parent = row.node[k].parent;
    let at =
      parent >= 0 && ends[row.node[parent].row] + 1 <= x
        ? row.node[parent].row
        : ends.findIndex((e) => e + 1 <= x);
    if (at < 0) at = Math.min(ends.length, MOST_TREE_ROWS - 1);
    row.node[k].row = at;
    ends[at] = Math.max(ends[at] ?? -Infinity, row.node[k].d * coarse + half);
  }
  row.height = Math.max(ends.length, 1);
  return row.height;
}

// Would its boxes fill more rows than a reader looks at? Then its outputs are counted instead.
function isDense(row, zoom, frame) {
  const room = (frame.plotW / BOX_ROOM) * MOST_FULL_ROWS;
  if (row.node.length <= room) return false;
  let n = 0;
  for (const k of row.node) n += k.d >= frame.from && k.a <= frame.to;
  return n > room;
}

// Sections of modules with their lanes, for the stretch of time that is shown.
function planLanes(run, view, frame, open) {
  const zoom = frame.plotW / (frame.to - frame.from),
    sections = [];
  let y = 4;
  for (let rank = 0; rank < run.modules.length; rank++) {
    const all = view.byModule[rank].filter(
      (i) => view.rows[i].to >= frame.from && view.rows[i].from <= frame.to,
    );
    const goals = view.goals.filter((g) => g.module === rank && g.from <= frame.to);
    if (!all.length && !goals.length) continue;
    const whole = open.has(rank) || all.length <= SHOWN;
    const kept = whole
      ? all
      : [...all]
          .sort((p, q) => view.rows[q].work - view.rows[p].work)
          .slice(0, SHOWN - 1)
          .sort((p, q) => p - q);
    const section = { rank, y, lanes: [], total: all.length, titled: kept.length > 1 || frame.narrow };
    if (section.titled) y += 20;
    for (const i of kept) {
      const row = view.rows[i],
        dense = !row.node || isDense(row, zoom, frame),
        height = dense ? 22 : packRow(row, zoom) * PITCH;
      section.lanes.push({ row: i, dense, y: y + 4, h: height });
      y += height + 8;
    }
    if (kept.length < all.length) {
      section.lanes.push({ band: true, rank, rest: all.length - kept.length, y: y + 4, h: 22 });
      y += 30;
    }
    for (const goal of goals) {
      section.lanes.push({ goal, y: y + 4, h: 12 });
      y += 18;
    }
    if (!section.titled) y = Math.max(y, section.y + 38);
    section.h = y - section.y;
    sections.push(section);
  }
  return { sections, height: y + 4 };
}

function indexLanes(plan) {
  plan.laneOf = new Map();
  plan.bandOf = new Map();
  for (const s of plan.sections)
    for (const lane of s.lanes) {
      if (lane.row !== undefined) plan.laneOf.set(lane.row, lane);
      if (lane.band) plan.bandOf.set(s.rank, lane);
    }
}

// The shapes of a lane in pixels, those within the window.
function shapesOf(view, lane, frame) {
  const row = view.rows[lane.row],
    half = halfWidth(frame.plotW / (frame.to - frame.from)),
    out = [];
  row.node.forEach((n, i) => {
    const x0 = frame.toX(n.a) - half,
      x1 = frame.toX(n.b) + half,
      s0 = frame.toX(n.c) - half,
      s1 = frame.toX(n.d) + half;
    if (Math.max(s1, x1) < frame.x || Math.min(x0, s0) > frame.x + frame.plotW) return;
    out.push({
      kind: 'node',
      row: lane.row,
      node: i,
      x0,
      x1,
      s0,
      s1,
      has: n.has,
      y: lane.y + n.row * PITCH,
    });
  });
  return out;
}

const box = (x, y, w, h) => `M${x.toFixed(1)} ${y.toFixed(1)}h${w.toFixed(1)}v${h}h${(-w).toFixed(1)}z`;

function drawShapes(g, colour, shapes) {
  let pale = '',
    solid = '',
    lines = '';
  for (const s of shapes) {
    if (s.has) pale += box(s.x0, s.y, s.x1 - s.x0, BOX);
    if (s.has && s.s0 > s.x1) lines += `M${s.x1.toFixed(1)} ${s.y + BOX / 2}H${s.s0.toFixed(1)}`;
    solid += box(s.s0, s.y, Math.max(s.s1 - s.s0, 1), BOX);
  }
  if (lines) g.append(draw('path', { d: lines, stroke: colour, 'stroke-width': 1.4, fill: 'none' }));
  if (pale)
    g.append(
      draw('path', {
        class: 'pale',
        d: pale,
        fill: colour,
        'fill-opacity': 0.25,
        stroke: colour,
        'stroke-width': 1,
      }),
    );
  if (solid) g.append(draw('path', { class: 'solid', d: solid, fill: colour }));
}

// How many of equal stretches' reductions there are, [stretch, count], and how many stretches: as the page
// has them, or outputs of boxes that have no room.
function countsOf(row) {
  const values = [];
  let at = 0;
  if (row.counts) {
    for (const v of row.counts) {
      if (v < 0) at -= v;
      else values.push([at++, v]);
    }
    return { values, n: Math.max(at, 1) };
  }
  const n = 300,
    sums = new Map();
  for (const k of row.node) {
    const i = Math.min(Math.floor(((k.d - row.from) / Math.max(row.to - row.from, 1)) * n), n - 1);
    sums.set(i, (sums.get(i) || 0) + 1);
  }
  return { values: [...sums], n };
}

function drawCounts(g, colour, row, lane, frame) {
  const { values, n } = row.counted || (row.counted = countsOf(row)),
    width = Math.max(row.to - row.from, 1) / n;
  const most = values.reduce((m, [, v]) => Math.max(m, v), 1);
  let d = '';
  for (const [i, v] of values) {
    const x0 = frame.toX(row.from + i * width),
      x1 = frame.toX(row.from + (i + 1) * width);
    if (x1 < frame.x || x0 > frame.x + frame.plotW) continue;
    const h = Math.max((v / most) * (lane.h - 2), 1.5);
    d += `M${px(x0)} ${lane.y + lane.h}v${px(-h)}H${px(Math.max(x1, x0 + 0.6))}v${px(h)}z`;
  }
  const left = Math.max(frame.toX(row.from), frame.x),
    right = Math.min(frame.toX(row.to), frame.x + frame.plotW);
  if (right > left)
    g.append(
      draw('path', { d: `M${left} ${lane.y + lane.h}H${right}`, stroke: colour, 'stroke-width': 1 }),
    );
  if (d) g.append(draw('path', { class: 'counts', d, fill: colour, 'fill-opacity': 0.6 }));
}

function drawTree(g, view, lane, frame) {
  const row = view.rows[lane.row];
  let d = '',
    n = 0;
  row.node.forEach((node) => {
    if (node.parent < 0 || n > 3000) return;
    const p = row.node[node.parent],
      x0 = frame.toX(p.d),
      x1 = frame.toX(Math.min(node.a, node.c));
    if (x1 < frame.x || x0 > frame.x + frame.plotW || x1 - x0 < 3) return;
    const y0 = lane.y + p.row * PITCH + BOX / 2,
      y1 = lane.y + node.row * PITCH + BOX / 2,
      m = Math.min(20, (x1 - x0) / 2);
    d += `M${px(x0)} ${y0}C${px(x0 + m)} ${y0} ${px(x1 - m)} ${y1} ${px(x1)} ${y1}`;
    n++;
  });
  if (d) g.append(draw('path', { class: 'tree', d }));
}

// Where an end of an arrow is: its node, its row, or the band that stands for it.
function arrowEnd(view, plan, frame, rowIndex, node, time) {
  const lane =
    rowIndex >= 0
      ? plan.laneOf.get(rowIndex) || plan.bandOf.get(view.rows[rowIndex].module)
      : plan.bandOf.get(-2 - rowIndex);
  if (!lane) return null;
  const row = lane.row === rowIndex && rowIndex >= 0 ? view.rows[rowIndex] : null;
  const y =
    row && node >= 0 && !lane.dense ? lane.y + row.node[node].row * PITCH + BOX / 2 : lane.y + lane.h / 2;
  return { x: frame.toX(time), y };
}

function planArrows(view, plan, frame) {
  const seen = [];
  let hidden = 0;
  view.arrow.forEach((a, i) => {
    if (a.read < frame.from || a.made > frame.to) return;
    const p = arrowEnd(view, plan, frame, a.fromRow, a.fromNode, a.made),
      q = arrowEnd(view, plan, frame, a.toRow, a.toNode, a.read);
    if (p && q) seen.push({ kind: 'arrow', arrow: i, p, q, wait: a.wait });
  });
  const byWait = [...seen].sort((x, y) => y.wait - x.wait || x.arrow - y.arrow);
  byWait.slice(0, STRONG).forEach((a) => {
    a.strong = a.wait > 0;
  });
  if (seen.length > MOST_DRAWN_ARROWS) hidden = seen.length - MOST_DRAWN_ARROWS;
  return { arrows: hidden ? byWait.slice(0, MOST_DRAWN_ARROWS) : seen, hidden, total: seen.length };
}

const arrowPath = ({ p, q }) => {
  const m = (p.y + q.y) / 2,
    side = Math.abs(q.y - p.y) < 4 ? 14 : 0;
  return `M${px(p.x)} ${px(p.y)}C${px(p.x)} ${px(m - side)} ${px(q.x)} ${px(m - side)} ${px(q.x)} ${px(q.y)}`;
};
const arrowHead = ({ p, q }, size = 4) => {
  const s = q.y >= p.y ? -1 : 1;
  return `M${q.x.toFixed(1)} ${q.y.toFixed(1)}l${-size * 0.7} ${s * size * 1.4}h${size * 1.4}z`;
};

// The shortest distance of a point to the arrow.
function arrowDistance({ p, q }, x, y) {
  if (x < Math.min(p.x, q.x) - 6 || x > Math.max(p.x, q.x) + 6) return Infinity;
  const m = (p.y + q.y) / 2;
  let best = Infinity;
  for (let i = 0; i <= 24; i++) {
    const t = i / 24,
      u = 1 - t;
    const cx = u * u * u * p.x + 3 * u * u * t * p.x + 3 * u * t * t * q.x + t * t * t * q.x;
    const cy = u * u * u * p.y + 3 * u * t * m + t * t * t * q.y;
    best = Math.min(best, Math.hypot(cx - x, cy - y));
  }
  return best;
}

function drawArrows(g, run, view, arrows, strong) {
  const groups = new Map();
  for (const a of arrows) {
    if (Boolean(a.strong) !== strong) continue;
    const rank = moduleOfRow(view, view.arrow[a.arrow].fromRow),
      at = groups.get(rank) || { lines: '', heads: '' };
    at.lines += arrowPath(a);
    at.heads += arrowHead(a);
    groups.set(rank, at);
  }
  for (const [rank, { lines, heads }] of groups) {
    const colour = run.colour(rank),
      opacity = strong ? 0.95 : 0.3;
    g.append(
      draw('path', {
        class: 'arrow',
        d: lines,
        fill: 'none',
        stroke: colour,
        opacity,
        'stroke-width': strong ? 1.5 : 0.9,
      }),
    );
    g.append(draw('path', { d: heads, fill: colour, opacity }));
  }
}

const moduleOfRow = (view, row) => (row >= 0 ? view.rows[row].module : -2 - row);

function drawPath(g, view, plan, frame) {
  let d = '',
    at = 0,
    last = null;
  for (let i = 0; i + 2 < view.path.length; i += 3) {
    const end = view.path[i + 2],
      row = view.rowOfProcess.get(view.path[i + 1]);
    const lane = (row !== undefined && plan.laneOf.get(row)) || plan.bandOf.get(view.path[i]) || null;
    if (lane && end >= frame.from && at <= frame.to) {
      const y = lane.y + lane.h / 2;
      d += `${last === null ? 'M' : 'L'}${frame.toX(at).toFixed(1)} ${y}L${frame.toX(end).toFixed(1)} ${y}`;
      last = y;
    }
    at = end;
  }
  if (d) g.append(draw('path', { class: 'path', d }));
}

function drawGoals(g, run, section, lane, frame, shapes) {
  const x = Math.max(frame.toX(lane.goal.from), frame.x),
    w = frame.x + frame.plotW - x;
  g.append(
    draw('rect', {
      class: 'goal',
      x,
      y: lane.y,
      width: w,
      height: lane.h,
      fill: run.colour(section.rank),
      'fill-opacity': 0.2,
      stroke: run.colour(section.rank),
      'stroke-dasharray': '4 3',
    }),
  );
  shapes.push({ kind: 'goal', goal: lane.goal, x0: x, x1: x + w, s0: x, s1: x + w, y: lane.y, h: lane.h });
  g.append(draw('text', { class: 'tiny', x: x + 4, y: lane.y + 9.5 }, shorten(lane.goal.name, w - 8, 5.6)));
}

function labelSection(g, run, view, section, frame, toggle) {
  const m = run.modules[section.rank],
    y = section.y + 16;
  g.append(draw('rect', { x: 12, y: y - 10, width: 11, height: 11, rx: 3, fill: m.colour }));
  g.append(
    draw('text', { class: 'head', x: 28, y }, shorten(m.name, section.titled ? 190 : frame.x - 36, 8)),
  );
  const many =
    section.total === 0
      ? 'only waits'
      : section.total === 1
        ? '1 process'
        : `${count(section.total)} processes`;
  if (!section.titled) g.append(draw('text', { class: 'quiet', x: 28, y: y + 15 }, many));
  else g.append(draw('text', { class: 'quiet', x: 28 + Math.min(m.name.length * 8, 190) + 8, y }, many));
  for (const lane of section.lanes) {
    if (section.titled && lane.row !== undefined && !frame.narrow)
      g.append(
        draw(
          'text',
          { class: 'tiny', x: 28, y: lane.y + Math.min(lane.h / 2 + 3, 12) },
          shorten(view.rows[lane.row].name, frame.x - 38, 5.6),
        ),
      );
    if (lane.band) {
      const label = draw(
        'text',
        { class: 'quiet band', x: 28, y: lane.y + 14, role: 'button', tabindex: 0 },
        `+${count(lane.rest)} more …`,
      );
      label.addEventListener('click', () => toggle(section.rank));
      label.addEventListener('keydown', (e) => {
        if (e.key === 'Enter') toggle(section.rank);
      });
      g.append(label);
    }
  }
}

// The reductions of a module, where its processes share a band.
function drawBand(g, run, view, section, lane, frame) {
  const sums = view.sums[Math.min(section.rank, view.sums.length - 1)];
  let d = '',
    most = 1e-9;
  const values = [];
  for (let x = 0; x < frame.plotW; x += 2) {
    const v = meanOf(
      view,
      sums,
      frame.toTime(frame.x + x) + halfStep(view),
      frame.toTime(frame.x + x + 2) + halfStep(view),
    );
    values.push(v);
    most = Math.max(most, v);
  }
  values.forEach((v, i) => {
    if (v > 0)
      d += box(
        frame.x + 2 * i,
        lane.y + lane.h - (v / most) * lane.h,
        1.6,
        Math.max((v / most) * lane.h, 1),
      );
  });
  g.append(draw('path', { d, fill: run.colour(section.rank), 'fill-opacity': 0.45 }));
}

function drawProcesses(picture, g, run, view, frame) {
  const plan = planLanes(run, view, frame, picture.open);
  indexLanes(plan);
  const marks = planArrows(view, plan, frame),
    shapes = [];
  const clip = draw('g', { 'clip-path': `url(#${picture.clip})` });
  plan.sections.forEach((s, i) => {
    g.append(
      draw('rect', {
        class: 'lane',
        x: 0,
        y: s.y,
        width: frame.width,
        height: s.h,
        opacity: i % 2 ? 0 : 1,
      }),
    );
    labelSection(g, run, view, s, frame, (rank) => picture.toggle(rank));
  });
  g.append(clip);
  for (const s of plan.sections)
    for (const lane of s.lanes)
      if (lane.row !== undefined && !lane.dense) drawTree(clip, view, lane, frame);
  drawArrows(clip, run, view, marks.arrows, false);
  for (const s of plan.sections)
    for (const lane of s.lanes) {
      if (lane.band) drawBand(clip, run, view, s, lane, frame);
      else if (lane.goal) drawGoals(clip, run, s, lane, frame, shapes);
      else if (lane.dense) drawCounts(clip, run.colour(s.rank), view.rows[lane.row], lane, frame);
      else {
        const own = shapesOf(view, lane, frame);
        drawShapes(clip, run.colour(s.rank), own);
        for (const shape of own) shapes.push(shape);
      }
    }
  drawPath(clip, view, plan, frame);
  drawArrows(clip, run, view, marks.arrows, true);
  const note =
    marks.total === 0
      ? ''
      : marks.hidden
        ? `${count(marks.total)} arrows, the ${count(marks.arrows.length)} waited for longest`
        : `${count(marks.total)} arrows · strong: waited for longest`;
  return { height: plan.height, plan, shapes, arrows: marks.arrows, note };
}
