// SPDX-License-Identifier: MIT
// What stands beside the picture: findings, modules, sources and tables.
'use strict';

// A finding is a link, so that it can be copied, opened by the keyboard, and heard.
function findingCard(run, i) {
  const f = run.findings[i],
    m = f.module >= 0 ? run.modules[f.module] : null;
  const link = el('a', { href: `#${run.id}-finding-${i + 1}` }, f.title);
  const card = el(
    'article',
    { class: 'card finding' },
    el('h3', null, el('span', null, m ? swatch(m.colour, m.pattern) : null, link)),
    el('p', null, f.text),
    f.advice ? el('p', { class: 'advice' }, f.advice) : null,
    placesOf(run, f.places),
  );
  link.addEventListener('click', () => run.showFinding(i));
  return card;
}

function placesOf(run, places) {
  return places.length
    ? el(
        'p',
        null,
        ...places
          .slice(0, 6)
          .flatMap(([source, line], k) => [k ? ', ' : null, placeLink(run, source, line)]),
      )
    : null;
}

function placeLink(run, source, line) {
  const name = `${baseName(run.sources[source].name)}:${line}`;
  return el(
    'a',
    { href: `#${run.id}-source-${source}-${line}`, onclick: () => run.showSource(source, line) },
    name,
  );
}

const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);

function moduleCard(run, rank) {
  const m = run.modules[rank];
  const bar = draw(
    'svg',
    { width: '100%', height: 6, 'aria-hidden': 'true' },
    draw('rect', { class: 'track', width: '100%', height: 6, rx: 3 }),
    draw('rect', {
      width: `${Math.min(100, (100 * m.critical) / run.span)}%`,
      height: 6,
      rx: 3,
      fill: m.colour,
    }),
  );
  return el(
    'article',
    { class: 'card' },
    el(
      'h3',
      null,
      el('span', null, swatch(m.colour, m.pattern), m.name),
      el('span', { class: 'share' }, m.share),
    ),
    bar,
    el('p', null, `${m.onpath} on the critical path`),
    el('p', null, `waited ${m.waited} · awaited ${m.awaited}`),
  );
}

const SOURCE_AROUND = 400; // lines around the one that is shown

function showSourceLines(pane, run, source, line) {
  const lines =
    run.sources[source].lines || (run.sources[source].lines = run.sources[source].text.split('\n'));
  const first = Math.max(0, line - SOURCE_AROUND),
    rows = [];
  for (let i = first; i < Math.min(lines.length, line + SOURCE_AROUND); i++)
    rows.push(
      el(
        'div',
        i + 1 === line ? { class: 'lit', 'aria-current': 'true' } : null,
        el('span', null, String(i + 1)),
        el('span', null, lines[i]),
      ),
    );
  pane.replaceChildren(...rows);
  pane.setAttribute('aria-label', `${run.sources[source].name}, line ${line}`);
  scrollToLit(pane);
}

// A pane that is not yet part of the page has no height.
function scrollToLit(pane) {
  const lit = pane.querySelector('.lit');
  if (lit && pane.clientHeight) pane.scrollTop = lit.offsetTop - pane.clientHeight / 3;
}

// A column is sorted by what its cells are worth, else as text.
const worth = (cell) => (typeof cell === 'string' ? cell : cell.v !== undefined ? cell.v : cell.t);

function cellOf(run, cell, right) {
  const m = typeof cell === 'object' && cell.m !== undefined ? run.modules[cell.m] : null;
  const text = typeof cell === 'string' ? cell : cell.t;
  return el(
    'td',
    { class: right ? 'right' : text.length > 40 ? 'wrap' : null },
    m ? swatch(m.colour, m.pattern) : null,
    text,
  );
}

const ROWS_SHOWN = 10;

function sortedTable(run, table) {
  const body = el('tbody'),
    head = el('tr');
  const more = el('button', { class: 'more', type: 'button' });
  let rows = table.rows,
    all = false;
  const showRows = () => {
    body.replaceChildren(
      ...(all ? rows : rows.slice(0, ROWS_SHOWN)).map((row) =>
        el('tr', null, ...row.map((cell, k) => cellOf(run, cell, table.columns[k].startsWith('>')))),
      ),
    );
    more.textContent = all ? 'fewer' : `${table.rows.length - ROWS_SHOWN} more`;
  };
  more.addEventListener('click', () => {
    all = !all;
    showRows();
  });
  table.columns.forEach((column, k) => {
    const right = column.startsWith('>'),
      th = el('th', { class: right ? 'right' : null, scope: 'col' });
    th.append(
      el('button', { type: 'button', onclick: () => sortBy(k, th) }, right ? column.slice(1) : column),
    );
    head.append(th);
  });
  function sortBy(k, th) {
    const down =
      th.getAttribute('aria-sort') === 'descending' ||
      (!th.hasAttribute('aria-sort') && typeof worth(table.rows[0]?.[k] ?? '') === 'string');
    head.querySelectorAll('th').forEach((other) => other.removeAttribute('aria-sort'));
    th.setAttribute('aria-sort', down ? 'ascending' : 'descending');
    rows = [...table.rows].sort((x, y) => {
      const a = worth(x[k]),
        b = worth(y[k]),
        order = typeof a === 'number' ? a - b : String(a).localeCompare(String(b), 'en');
      return down ? order : -order;
    });
    showRows();
  }
  showRows();
  return el(
    'section',
    null,
    el(
      'div',
      { class: 'scroll' },
      el('table', null, el('caption', null, table.title), el('thead', null, head), body),
    ),
    table.rows.length > ROWS_SHOWN ? more : null,
  );
}
