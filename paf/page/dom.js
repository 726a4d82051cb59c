// SPDX-License-Identifier: MIT
// Elements, numbers and times. Texts of a run reach the page as text nodes only.
'use strict';

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
  return node;
}

const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

const px = (v) => v.toFixed(1);
const count = (n) => Math.round(n).toLocaleString('en-US');

// Three digits and a unit, as Paf writes nanoseconds.
function nanoseconds(n) {
  if (n === 0) return '0';
  for (const [unit, size] of [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
  ])
    if (Math.abs(n) >= size * 0.9995)
      return Number((n / size).toPrecision(3)).toLocaleString('en-US') + ' ' + unit;
  return count(n) + ' ns';
}

const moment = (view, t) => (view.unit === 'steps' ? count(t) : nanoseconds(t));
const duration = (view, t) =>
  view.unit !== 'steps' ? nanoseconds(t) : count(t) + (t === 1 ? ' step' : ' steps');

// Round distances for about n ticks.
function tickStep(span, n, least) {
  const raw = Math.max(span / Math.max(n, 1), least);
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((k) => k * power).find((k) => k >= raw * 0.999);
}

// A name cut to the width, in its middle: names often differ in their ends.
function shorten(name, width, size = 7) {
  const most = Math.max(Math.floor(width / size), 3);
  if (name.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return name.slice(0, head) + '…' + name.slice(name.length - (most - 1 - head));
}

function swatch(colour, pattern) {
  const box = draw('svg', {
    class: 'swatch',
    width: 11,
    height: 11,
    viewBox: '0 0 11 11',
    'aria-hidden': 'true',
  });
  box.append(draw('rect', { width: 11, height: 11, rx: 3, fill: colour }));
  if (pattern) box.append(draw('path', { d: 'M0 11L11 0', stroke: '#fff', 'stroke-width': 2 }));
  return box;
}
