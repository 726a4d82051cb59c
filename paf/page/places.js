// SPDX-License-Identifier: MIT
// The rows of places by real time: what each thread, rank or worker was in, and who handed over to whom.
'use strict';

const HAND_GAP = 6,
  WAITS = 3; // kinds of activities behind this one are waits

function decodePlaces(view) {
  for (const row of view.rows) {
    row.act = [];
    let at = 0;
    for (let i = 0; i + 2 < row.acts.length; i += 3) {
      const start = at + row.acts[i];
      at = start + row.acts[i + 1];
      row.act.push({ start, end: at, spot: row.acts[i + 2] });
    }
  }
  view.hand = [];
  for (let i = 0; i + 4 < view.hands.length; i += 5) {
    const [fromRow, made, toRow, read, kind] = view.hands.slice(i, i + 5);
    view.hand.push({ fromRow, made, toRow, read, kind });
  }
}

// The first activity that ends after the time.
function firstAct(row, time) {
  let low = 0,
    high = row.act.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (row.act[middle].end <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The paths of a row, one for all that a module did and one for all its waits. Activities narrower than a pixel
// share it: it is drawn as what it had most of.
class RowPaths {
  constructor(y, h) {
    Object.assign(this, { y, h, work: new Map(), waits: new Map(), pixel: -1, shares: new Map() });
  }

  add(spot, x, w) {
    const waiting = spot[4] > WAITS,
      to = waiting ? this.waits : this.work,
      { y, h } = this;
    to.set(spot[3], (to.get(spot[3]) || '') + (waiting ? box(x, y + h * 0.25, w, h * 0.5) : box(x, y, w, h)));
  }

  share(spot, x, w) {
    if (Math.floor(x) !== this.pixel) this.flush();
    this.pixel = Math.floor(x);
    const key = `${spot[3]} ${spot[4] > WAITS}`,
      seen = this.shares.get(key) || { spot, w: 0 };
    seen.w += w;
    this.shares.set(key, seen);
  }

  flush() {
    let most = null;
    for (const s of this.shares.values()) if (!most || s.w > most.w) most = s;
    if (most) this.add(most.spot, this.pixel, 1);
    this.shares.clear();
  }
}

function drawRow(g, run, row, y, h, frame, shapes, index) {
  const paths = new RowPaths(y, h);
  for (let i = firstAct(row, frame.from); i < row.act.length && row.act[i].start < frame.to; i++) {
    const a = row.act[i],
      spot = run.spots[a.spot];
    const x0 = Math.max(frame.toX(a.start), frame.x),
      x1 = Math.min(frame.toX(a.end), frame.x + frame.plotW);
    if (x1 - x0 < 1) {
      paths.share(spot, x0, x1 - x0);
      continue;
    }
    paths.flush();
    paths.add(spot, x0, x1 - x0);
    if (x1 - x0 > 1.5) shapes.push({ kind: 'act', row: index, act: i, x0, x1, s0: x0, s1: x1, y, h });
  }
  paths.flush();
  for (const [rank, d] of paths.waits)
    g.append(draw('path', { class: 'wait', d, fill: run.colour(rank), 'fill-opacity': 0.22 }));
  for (const [rank, d] of paths.work) g.append(draw('path', { class: 'work', d, fill: run.colour(rank) }));
}

// What a place was in at a pixel, however short that was.
function actAt(view, drawn, frame, x, y) {
  for (const [row, lane] of drawn.plan.laneOf) {
    if (y < lane.y || y > lane.y + lane.h) continue;
    const time = frame.toTime(x),
      i = firstAct(view.rows[row], time),
      act = view.rows[row].act[i];
    return act && act.start <= frame.toTime(x + 1) ? { kind: 'act', row, act: i } : null;
  }
  return null;
}

function drawPlaces(picture, g, run, view, frame) {
  const n = view.rows.length,
    h = n <= 24 ? 20 : n <= 64 ? 12 : 8,
    step = h + (n <= 24 ? 12 : 4),
    top = 8;
  const clip = draw('g', { 'clip-path': `url(#${picture.clip})` }),
    shapes = [],
    height = top + n * step + 4;
  const mid = (row) => top + row * step + h / 2;
  view.rows.forEach((row, i) => {
    const y = top + i * step;
    if (n <= 64 || i % 4 === 0)
      g.append(
        draw('text', { class: 'quiet', x: 12, y: y + h / 2 + 4 }, shorten(row.name, frame.x - 20, 6.5)),
      );
    g.append(draw('path', { class: 'grid', d: `M${frame.x} ${mid(i)}h${frame.plotW}` }));
    drawRow(clip, run, row, y, h, frame, shapes, i);
  });
  const seen = view.hand
    .map((k, i) => ({ k, i }))
    .filter(({ k }) => k.read >= frame.from && k.made <= frame.to && k.fromRow !== k.toRow);
  const latest = new Map(); // by row, where an arrow ends
  const arrows = seen
    .map(({ k, i }) => ({
      kind: 'hand',
      arrow: i,
      row: k.toRow,
      p: { x: frame.toX(k.made), y: mid(k.fromRow) },
      q: { x: frame.toX(k.read), y: mid(k.toRow) },
    }))
    .filter(({ row, q }) => {
      const room = !(q.x - latest.get(row) < HAND_GAP);
      if (room) latest.set(row, q.x);
      return room;
    });
  clip.append(draw('path', { class: 'tree', d: arrows.map(arrowPath).join('') }));
  clip.append(draw('path', { d: arrows.map((a) => arrowHead(a, 3)).join(''), class: 'bars' }));
  g.append(clip);
  const lanes = view.rows.map((_, i) => ({ row: i, y: top + i * step, h }));
  const plan = { sections: [], laneOf: new Map(lanes.map((l) => [l.row, l])), bandOf: new Map() };
  const all = count(seen.length);
  const note =
    arrows.length < seen.length
      ? `${all} hand-overs, ${count(arrows.length)} drawn · zoom in to see each · pale: waiting`
      : seen.length
        ? `${all} hand-overs · pale: waiting`
        : 'pale: waiting';
  return { height, plan, shapes, arrows, note };
}
