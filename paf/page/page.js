// SPDX-License-Identifier: MIT
// The page: one run, or two with what became of the findings of the first.
'use strict';

const percent = (x) => `${x > 0 ? '−' : x < 0 ? '+' : ''}${Math.abs(Math.round(100 * x))} %`;

// What became of each finding of the first run, and what is new in the second.
function fatesOf(c, runs) {
  const place = (f) =>
    [f.predicate, f.file ? `${baseName(f.file)}:${f.line}` : null].filter(Boolean).join(' · ');
  const rows = c.findings.map((f) => [
    f.kind,
    place(f),
    f.fate,
    { t: percent(f.predicted), v: f.predicted },
    f.achieved === null ? '–' : { t: percent(f.achieved), v: f.achieved },
    f.why,
  ]);
  const parts = [el('h2', null, `What became of the findings of ${runs[0].title}`)];
  if (rows.length)
    parts.push(
      sortedTable(runs[0], {
        title: '',
        columns: ['finding', 'where', 'now', '>predicted', '>achieved', 'why'],
        rows,
      }),
    );
  else parts.push(el('p', { class: 'quiet' }, 'It has none of 5 % or more.'));
  if (c.new.length)
    parts.push(
      el('h3', null, `New in ${runs[1].title}`),
      el('ul', null, ...c.new.map((f) => el('li', null, f.text))),
    );
  return parts;
}

function modulesOf(c, runs) {
  const amount = (n) => (runs[0].measured ? nanoseconds(n) : count(n));
  const cell = (m, key) => (m ? { t: amount(m[key]), v: m[key] } : { t: '–', v: -1 });
  const ratio = (m) =>
    m.a && m.b && m.a.work > 0
      ? { t: `×${(m.b.work / m.a.work).toFixed(2)}`, v: m.b.work / m.a.work }
      : { t: '', v: -1 };
  const names = ['a', 'b'];
  const rows = c.modules.map((m) => [
    m.name,
    ...names.map((k) => cell(m[k], 'work')),
    ratio(m),
    ...names.map((k) => cell(m[k], 'critical')),
    ...names.map((k) => cell(m[k], 'waiting')),
    ...names.map((k) => (m[k] ? { t: count(m[k].peak), v: m[k].peak } : { t: '–', v: -1 })),
  ]);
  return sortedTable(runs[0], {
    title: 'Modules: a and b',
    rows,
    columns: [
      'module',
      '>work a',
      '>work b',
      '>b / a',
      '>critical a',
      '>critical b',
      '>waiting a',
      '>waiting b',
      '>peak a',
      '>peak b',
    ],
  });
}

// Both runs on one axis: what is shown of one is shown of the other.
function tie(runs) {
  const end = Math.max(...runs.map((r) => r.view.end));
  const most = Math.max(...runs.map((r) => stack(r.view, 0, end + 1, 600, (t) => t).most));
  for (const run of runs) {
    run.least = most;
    run.views.forEach((v) => {
      v.end = Math.max(v.end, runs[0].view.unit === v.unit ? end : 0);
    });
    run.to = run.view.end + 1;
    run.changed = (by) => {
      for (const other of runs)
        if (
          other !== by &&
          (other.from !== by.from || other.to !== by.to) &&
          other.view.unit === by.view.unit
        ) {
          other.from = by.from;
          other.to = by.to;
          other.redraw();
        }
    };
  }
}

function start() {
  const data = JSON.parse(document.getElementById('data').textContent),
    main = document.getElementById('main');
  const runs = data.runs.map((r, i) => new Run(r, `run${i + 1}`)),
    two = runs.length === 2;
  main.replaceChildren();
  if (two) {
    main.append(el('p', { class: 'sentence' }, data.comparison.sentence));
    if (runs[0].view.unit === runs[1].view.unit) tie(runs);
    else
      main.append(
        el(
          'p',
          { class: 'remark small' },
          'One run has steps and the other one seconds: each has an axis of its own.',
        ),
      );
  }
  if (two) main.append(...fatesOf(data.comparison, runs));
  runs.forEach((run, i) => {
    if (two)
      main.append(
        el(
          'h2',
          { class: 'two' },
          `${'ab'[i]}: ${run.title} `,
          el('span', { class: 'quiet' }, run.summary),
        ),
      );
    main.append(run.node);
  });
  if (two) main.append(modulesOf(data.comparison, runs));
  for (const run of runs) {
    if (two)
      main.append(
        el(
          'details',
          { class: 'rest', open: '' },
          el('summary', null, `Findings, source and tables of ${run.title}`),
          ...run.rest,
        ),
      );
    else main.append(...run.rest);
    run.redraw();
    scrollToLit(run.source);
  }
  window.paf = { runs, data };
  const open = () => {
    const m = /^#run(\d)-(finding-(\d+)|source-(\d+)-(\d+))$/.exec(location.hash),
      run = m && runs[m[1] - 1];
    if (!run) return;
    if (m[3] && run.findings[m[3] - 1]) run.showFinding(m[3] - 1);
    if (m[4] && run.sources[m[4]]) run.showSource(Number(m[4]), Number(m[5]));
  };
  window.addEventListener('hashchange', open);
  open();
}

start();
