import { $, centsText, el, whatIsWrong } from './page.mjs';

/** Sends a request with the token, which is not stored. */
const call = async (path, options = {}) => {
  const token = $('token').value.trim();
  if (token === '') throw new Error('Write the token of the account first.');
  const response = await fetch(path, {
    ...options,
    headers: { authorization: `Bearer ${token}`, ...options.headers },
  });
  if (!response.ok) throw new Error(whatIsWrong((await response.json()).detail));
  return response.status === 204 ? null : response.json();
};
function plot(usage) {
  const days = [...new Set(usage.map((row) => row.day))].sort();
  const total = new Map();
  for (const { endpoint, cents } of usage) total.set(endpoint, (total.get(endpoint) || 0) + cents);
  const charted = [...total]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 7)
    .map(([endpoint]) => endpoint);
  const colours = ['#1d5fa8', '#e08a1e', '#3f9b57', '#b3423f', '#7a5ca8', '#4aa3a8', '#8a6d3b', '#9aa7b4'];
  const inSvg = (tag, attributes, text) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text) node.textContent = text;
    return node;
  };
  const [left, right, height] = [70, Math.max(320, Math.min(900, $('says').parentElement.clientWidth)), 220];
  const svg = inSvg('svg', {
    viewBox: `0 0 ${right} ${height + 24}`,
    width: '100%',
    role: 'img',
    'aria-label': 'Spend in dollars by day and endpoint',
  });
  const sums = days.map((day) =>
    usage.filter((row) => row.day === day).reduce((sum, row) => sum + row.cents, 0),
  );
  // Smallest step of 1, 2 or 5 times a power of ten whose fourfold reaches the largest sum.
  const most = Math.max(4, ...sums) / 4,
    power = 10 ** Math.floor(Math.log10(most));
  const tick = [1, 2, 5, 10].find((each) => each * power >= most) * power,
    top = 4 * tick;
  const up = (cents) => height - (cents / top) * (height - 12);
  const words = { 'font-size': 12, style: 'fill:var(--soft)' };
  for (const at of [0, 1, 2, 3, 4])
    svg.append(
      inSvg('line', {
        x1: left,
        x2: right,
        y1: up(at * tick),
        y2: up(at * tick),
        style: 'stroke:var(--line)',
      }),
      inSvg(
        'text',
        { x: left - 8, y: up(at * tick) + 4, 'text-anchor': 'end', class: 'tick', ...words },
        centsText(at * tick),
      ),
    );
  const step = (right - left) / Math.max(1, days.length),
    bar = Math.min(60, step * 0.7),
    each = Math.ceil((days.length * 60) / (right - left));
  days.forEach((day, i) => {
    const x = left + i * step + (step - bar) / 2;
    let sum = 0;
    for (const row of usage.filter((each) => each.day === day)) {
      const at = charted.indexOf(row.endpoint);
      const rect = inSvg('rect', {
        x,
        y: up(sum + row.cents),
        width: bar,
        height: up(sum) - up(sum + row.cents),
        fill: colours[at < 0 ? 7 : at],
      });
      rect.append(inSvg('title', {}, `${day} ${row.endpoint}: ${row.calls} calls, ${centsText(row.cents)}`));
      svg.append(rect);
      sum += row.cents;
    }
    if (i % each === 0)
      svg.append(
        inSvg('text', { x: x + bar / 2, y: height + 17, 'text-anchor': 'middle', ...words }, day.slice(5)),
      );
  });
  const legend = el(
    'table',
    {},
    ...charted.map((endpoint, i) => {
      const mark = el('td', { textContent: '\u25a0' });
      mark.style.color = colours[i];
      return el(
        'tr',
        {},
        mark,
        el('td', {}, el('code', { textContent: endpoint })),
        el('td', { textContent: centsText(total.get(endpoint)) }),
      );
    }),
  );
  return usage.length
    ? [svg, legend]
    : [el('p', { textContent: 'No calls were charged in the last 31 days.' })];
}
/** Row of a table from names and cells; on a phone each cell shows its name. */
const tableRow = (cells) =>
  el(
    'tr',
    {},
    ...cells.map(([name, cell]) => {
      const node = el('td', {}, cell);
      node.dataset.label = name;
      return node;
    }),
  );
const says = (text, isWrong) => {
  $('says').textContent = text;
  $('says').className = isWrong ? 'fail' : 'status';
};
async function show() {
  try {
    const account = await call('/portal/account');
    says(
      `${account.name}: balance ${centsText(account.balance_cents)}, spent ${centsText(account.spent_cents)}`,
      false,
    );
    $('plot').replaceChildren(...plot(account.usage));
    const newest = [...account.keys].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    $('keys').replaceChildren(
      ...newest.map((key) => {
        const revoke = el('button', {
          textContent: 'Revoke',
          className: 'danger',
          onclick: async () => {
            if (
              !confirm(
                `Revoke the key ${key.prefix}… (${key.label})? Every call with it fails from then on, and it cannot be undone.`,
              )
            )
              return;
            try {
              await call(`/portal/keys/${encodeURIComponent(key.prefix)}`, { method: 'DELETE' });
              show();
            } catch (error) {
              says(error.message, true);
            }
          },
        });
        const isOver = key.expires_at !== null && Date.parse(key.expires_at) <= Date.now();
        const expires =
          key.expires_at === null
            ? 'never'
            : `${key.expires_at.slice(0, 16).replace('T', ' ')} UTC${isOver ? ' (expired)' : ''}`;
        return tableRow([
          ['key', el('code', { textContent: `${key.prefix}…` })],
          ['for', key.label],
          ['made', key.created_at.slice(0, 10)],
          ['expires', expires],
          ['a day', key.day_cents_max === null ? 'no cap' : centsText(key.day_cents_max)],
          ['may ask', key.scope === null ? 'everything' : key.scope.join(' ')],
          ['', key.revoked_at ? 'revoked' : revoke],
        ]);
      }),
    );
    $('watches').replaceChildren(
      ...account.watches.map((watch) => {
        return tableRow([
          ['number', String(watch.watch_id)],
          ['to', el('code', { textContent: watch.url })],
          ['properties', String(watch.properties)],
          [
            'state',
            {
              unverified: 'waits for its receiver',
              active: 'active',
              given_up: 'stopped: undelivered for a day',
            }[watch.state],
          ],
          ['notified up to publication', String(watch.since)],
          ['last failure', watch.error ?? 'none'],
        ]);
      }),
    );
    $('watching').hidden = account.watches.length === 0;
    $('account').hidden = false;
  } catch (error) {
    says(error.message, true);
    $('account').hidden = true;
  }
}
$('open').onsubmit = (event) => {
  event.preventDefault();
  show();
};
/** Value of a field; null: empty. Errors name parameters by their field ids. */
const limitsOf = () => ({
  expires_at: $('expires_at').value === '' ? null : `${$('expires_at').value}:00Z`,
  day_cents_max: $('day_max').value === '' ? null : Math.round(Number($('day_max').value) * 100),
  scope: $('scope').value.trim() === '' ? null : $('scope').value.trim().split(/[ ,]+/),
});
$('create').onsubmit = async (event) => {
  event.preventDefault();
  try {
    const newKey = await call('/portal/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ label: $('label').value, ...limitsOf() }),
    });
    $('made').textContent = `${newKey.key}  (shown once)`;
    $('made').className = 'pass';
    event.target.reset();
    show();
  } catch (error) {
    $('made').textContent = error.message;
    $('made').className = 'fail';
  }
};
