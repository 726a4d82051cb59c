// SPDX-License-Identifier: MIT
// Parallelism by module over time, and the strip of the critical path.
'use strict';

const OVERVIEW_H = 26,
  AXIS_H = 22,
  CHART_H = 150,
  PATH_H = 20;

// Sums up to each value: the mean of any stretch is one subtraction.
function sumsOf(values, n, scale) {
  const sums = new Float64Array(n + 1);
  let at = 0;
  for (const v of values) {
    if (v < 0) {
      for (let k = 0; k < -v && at < n; k++, at++) sums[at + 1] = sums[at];
    } else {
      sums[at + 1] = sums[at] + v / scale;
      at++;
    }
  }
  for (; at < n; at++) sums[at + 1] = sums[at];
  return sums;
}

function prepareChart(view) {
  view.sums = view.curves.map((c) => sumsOf(c, view.n, view.scale));
}

// A step is drawn around its time.
const halfStep = (view) => (view.unit === 'steps' ? 0.5 : 0);

// The mean of a curve over [a, b) of time.
function meanOf(view, sums, a, b) {
  const at = (t) => {
    const place = Math.min(Math.max(t / view.width, 0), view.n),
      whole = Math.floor(place);
    return whole >= view.n ? sums[view.n] : sums[whole] + (place - whole) * (sums[whole + 1] - sums[whole]);
  };
  return b > a ? ((at(b) - at(a)) * view.width) / (b - a) : 0;
}

// Columns of equal width in pixels: no narrower than a value is wide.
function columnsOf(view, from, to, width) {
  const perPixel = (to - from) / width,
    edges = [];
  if (perPixel < view.width) {
    for (let i = Math.max(Math.floor(from / view.width), 0); i * view.width < to && i <= view.n; i++)
      edges.push(i * view.width);
    edges.push(Math.min(edges.length ? edges[edges.length - 1] + view.width : to, view.n * view.width));
  } else {
    for (let x = 0; x <= width; x++) edges.push(from + x * perPixel);
  }
  return edges;
}

// Stacked layers as outlines; returns their paths from the lowest on, and the highest value.
function stack(view, from, to, width, toX) {
  const edges = columnsOf(view, from, to, width),
    n = edges.length - 1;
  const layers = [],
    base = new Float64Array(Math.max(n, 0));
  for (const sums of view.sums) {
    const bottom = Float64Array.from(base);
    for (let i = 0; i < n; i++) base[i] += meanOf(view, sums, edges[i], edges[i + 1]);
    layers.push({ bottom, top: Float64Array.from(base) });
  }
  let most = 0;
  for (const v of base) most = Math.max(most, v);
  return { xs: edges.map(toX), layers, most, n };
}

function area(s, layer, toY) {
  let d = '',
    any = false;
  for (let i = 0; i < s.n; i++) {
    if (layer.top[i] - layer.bottom[i] <= 1e-9) continue;
    let k = i,
      back = '';
    d += `M${s.xs[i].toFixed(1)} ${toY(layer.bottom[i])}`;
    for (; k < s.n && layer.top[k] - layer.bottom[k] > 1e-9; k++)
      d += `V${toY(layer.top[k])}H${s.xs[k + 1].toFixed(1)}`;
    for (let j = k; j-- > i;) back += `V${toY(layer.bottom[j])}H${s.xs[j].toFixed(1)}`;
    d += back + 'Z';
    i = k - 1;
    any = true;
  }
  return any ? d : '';
}

function drawAxis(picture, g, y, view, frame) {
  const span = frame.to - frame.from;
  const step = tickStep(span, frame.plotW / 90, view.unit === 'steps' ? 1 : 1e-9);
  for (let t = Math.ceil(frame.from / step) * step; t <= frame.to; t += step) {
    const x = frame.toX(t).toFixed(1);
    g.append(
      draw('text', { class: 'quiet', x, y: y + 15, 'text-anchor': 'middle' }, tickText(view, t, step)),
    );
    g.append(draw('path', { class: 'grid', d: `M${x} ${y + AXIS_H}V${picture.chartBottom}` }));
  }
}

// Exact to the tick, in one unit for the whole axis.
function tickText(view, t, step) {
  if (view.unit === 'steps' || t === 0) return count(t);
  const [unit, size] = [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
    ['ns', 1],
  ].find(([, k]) => Math.max(t, step) >= k) || ['ns', 1];
  return (
    Number((t / size).toPrecision(6)).toLocaleString('en-US', { maximumFractionDigits: 6 }) + ' ' + unit
  );
}

function drawOverview(g, run, view, frame) {
  const whole = { from: 0, to: view.end + 1 };
  const toX = (t) => frame.x + ((t - whole.from) / (whole.to - whole.from)) * frame.plotW;
  const s = stack(view, whole.from, whole.to, frame.plotW, toX);
  const toY = (v) => (OVERVIEW_H + 2 - (v / Math.max(s.most, 1e-9)) * (OVERVIEW_H - 4)).toFixed(1);
  g.append(
    draw('rect', { class: 'track', x: frame.x, y: 2, width: frame.plotW, height: OVERVIEW_H, rx: 4 }),
  );
  const last = s.layers[s.layers.length - 1];
  if (last)
    g.append(
      draw('path', { class: 'bars', d: area(s, { bottom: new Float64Array(s.n), top: last.top }, toY) }),
    );
  const left = Math.max(toX(frame.from), frame.x),
    right = Math.min(toX(frame.to), frame.x + frame.plotW);
  g.append(
    draw('rect', {
      class: 'frame window',
      x: left,
      y: 2,
      width: Math.max(right - left, 3),
      height: OVERVIEW_H,
      rx: 4,
    }),
  );
}

// Scale and layers of the chart. picture.least: it goes at least so far up.
function drawChart(picture, g, run, view, frame) {
  const top = OVERVIEW_H + AXIS_H + 6,
    bottom = top + CHART_H;
  const half = halfStep(view),
    s = stack(view, frame.from + half, frame.to + half, frame.plotW, (t) => frame.toX(t - half));
  const most = Math.max(s.most, picture.least || 0, 1e-9),
    step = tickStep(most, 4, view.unit === 'steps' ? 1 : 0.1);
  const limit = Math.max(Math.ceil(most / step - 1e-3) * step, step);
  const toY = (v) => (bottom - (Math.min(v, limit) / limit) * CHART_H).toFixed(1);
  picture.chartBottom = bottom;
  drawAxis(picture, g, OVERVIEW_H, view, frame);
  for (let v = 0; v <= limit + step / 2; v += step) {
    g.append(draw('path', { class: 'grid', d: `M${frame.x} ${toY(v)}h${frame.plotW}` }));
    g.append(
      draw(
        'text',
        { class: 'tiny', x: frame.x - 6, y: Number(toY(v)) + 4, 'text-anchor': 'end' },
        Number(v.toFixed(2)).toLocaleString('en-US'),
      ),
    );
  }
  const inside = g.appendChild(draw('g', { 'clip-path': `url(#${picture.clip}-top)` }));
  s.layers.forEach((layer, rank) => {
    const d = area(s, layer, toY);
    if (d)
      inside.append(
        draw('path', { class: 'layer', d, fill: run.colour(rank, view), 'fill-opacity': 0.85 }),
      );
  });
  drawPathStrip(g, run, view, frame, bottom + 6);
  return bottom + PATH_H;
}

function drawPathStrip(g, run, view, frame, y) {
  const d = new Map();
  let at = 0;
  for (let i = 0; i + 2 < view.path.length; i += 3) {
    const end = view.path[i + 2] + halfStep(view);
    const x0 = Math.max(frame.toX(at), frame.x),
      x1 = Math.min(frame.toX(end), frame.x + frame.plotW);
    at = end;
    if (x1 > x0)
      d.set(
        view.path[i],
        (d.get(view.path[i]) || '') + `M${x0.toFixed(1)} ${y}H${x1.toFixed(1)}v6H${x0.toFixed(1)}Z`,
      );
  }
  for (const [rank, path] of d) g.append(draw('path', { class: 'strip', d: path, fill: run.colour(rank) }));
}
