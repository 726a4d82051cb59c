// SPDX-License-Identifier: MIT
// The rows of places by real time: what each thread, rank or worker was in, and who handed over to whom.
'use strict';

const MOST_DRAWN_HANDS = 500,
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

// One path for all that a module did here, and one for all its waits; what is narrower than a pixel is drawn
// once.
function drawRow(g, run, row, y, h, frame, shapes, index) {
  const work = new Map(),
    waits = new Map();
  let last = -1;
  for (let i = firstAct(row, frame.from); i < row.act.length && row.act[i].start < frame.to; i++) {
    const a = row.act[i],
      spot = run.spots[a.spot];
    const x0 = Math.max(frame.toX(a.start), frame.x),
      x1 = Math.min(frame.toX(a.end), frame.x + frame.plotW);
    if (x1 - x0 < 0.7 && Math.floor(x0) === last) continue;
    last = Math.floor(x0);
    const waiting = spot[4] > WAITS,
      to = waiting ? waits : work,
      w = Math.max(x1 - x0, 0.7);
    to.set(
      spot[3],
      (to.get(spot[3]) || '') + (waiting ? box(x0, y + h * 0.25, w, h * 0.5) : box(x0, y, w, h)),
    );
    if (w > 1.5) shapes.push({ kind: 'act', row: index, act: i, x0, x1: x0 + w, s0: x0, s1: x0 + w, y, h });
  }
  for (const [rank, d] of waits)
    g.append(draw('path', { class: 'wait', d, fill: run.colour(rank), 'fill-opacity': 0.22 }));
  for (const [rank, d] of work) g.append(draw('path', { class: 'work', d, fill: run.colour(rank) }));
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
  const every = Math.ceil(seen.length / MOST_DRAWN_HANDS) || 1;
  const arrows = seen
    .filter((_, i) => i % every === 0)
    .map(({ k, i }) => ({
      kind: 'hand',
      arrow: i,
      p: { x: frame.toX(k.made), y: mid(k.fromRow) },
      q: { x: frame.toX(k.read), y: mid(k.toRow) },
    }));
  clip.append(draw('path', { class: 'tree', d: arrows.map(arrowPath).join('') }));
  clip.append(draw('path', { d: arrows.map((a) => arrowHead(a, 3)).join(''), class: 'bars' }));
  g.append(clip);
  const lanes = view.rows.map((_, i) => ({ row: i, y: top + i * step, h }));
  const plan = { sections: [], laneOf: new Map(lanes.map((l) => [l.row, l])), bandOf: new Map() };
  const note =
    every > 1
      ? `${count(seen.length)} hand-overs, one of each ${every} drawn · zoom in to see each`
      : seen.length
        ? `${count(seen.length)} hand-overs · pale: waiting`
        : 'pale: waiting';
  return { height, plan, shapes, arrows, note };
}
