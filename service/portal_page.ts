import { PAGE_STYLE } from './try_page.ts';

/** Script of the page: asks with the token, which it keeps nowhere, and draws what it gets. */
export const PORTAL_SCRIPT = `
const $ = (id) => document.getElementById(id);
const el = (tag, props = {}, ...children) => { const node = Object.assign(document.createElement(tag), props); node.append(...children); return node; };
const dollars = (cents) => '$' + (cents / 100).toFixed(2);
const call = async (path, options = {}) => {
  const response = await fetch(path, { ...options, headers: { authorization: 'Bearer ' + $('token').value.trim(), ...options.headers } });
  if (!response.ok) throw new Error((await response.json()).detail.msg || response.status);
  return response.status === 204 ? null : response.json();
};
function plot(usage) {
  const days = [...new Set(usage.map((row) => row.day))].sort();
  const total = new Map();
  for (const { endpoint, cents } of usage) total.set(endpoint, (total.get(endpoint) || 0) + cents);
  const shown = [...total].sort((a, b) => b[1] - a[1]).slice(0, 7).map(([endpoint]) => endpoint);
  const colours = ['#1d5fa8', '#e08a1e', '#3f9b57', '#b3423f', '#7a5ca8', '#4aa3a8', '#8a6d3b', '#9aa7b4'];
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const [width, height] = [900, 220];
  svg.setAttribute('viewBox', '0 0 ' + width + ' ' + (height + 20)); svg.setAttribute('width', '100%'); svg.setAttribute('role', 'img');
  const sums = days.map((day) => usage.filter((row) => row.day === day).reduce((sum, row) => sum + row.cents, 0));
  const top = Math.max(1, ...sums), step = width / Math.max(1, days.length);
  const add = (tag, attributes, text) => { const node = document.createElementNS('http://www.w3.org/2000/svg', tag); for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value); if (text) node.textContent = text; svg.append(node); return node; };
  days.forEach((day, i) => {
    let y = height;
    for (const row of usage.filter((each) => each.day === day)) {
      const size = row.cents / top * (height - 10); y -= size;
      const at = shown.indexOf(row.endpoint);
      const bar = add('rect', { x: i * step + step * .15, y, width: Math.min(60, step * .7), height: size, fill: colours[at < 0 ? 7 : at] });
      const title = document.createElementNS('http://www.w3.org/2000/svg', 'title'); title.textContent = day + ' ' + row.endpoint + ': ' + row.calls + ' calls, ' + dollars(row.cents); bar.append(title);
    }
    add('text', { x: i * step + step * .15, y: height + 15, 'font-size': 11, fill: '#5b6b7b' }, day.slice(5));
  });
  const legend = el('table', {}, ...shown.map((endpoint, i) => { const mark = el('td', { textContent: '\\u25a0' }); mark.style.color = colours[i]; return el('tr', {}, mark, el('td', {}, el('code', { textContent: endpoint })), el('td', { textContent: dollars(total.get(endpoint)) })); }));
  return usage.length ? [svg, legend] : [el('p', { textContent: 'No calls were charged in the last 31 days.' })];
}
async function show() {
  try {
    const account = await call('/portal/account');
    $('says').textContent = account.name + ': balance ' + dollars(account.balance_cents) + ', spent ' + dollars(account.spent_cents);
    $('plot').replaceChildren(...plot(account.usage));
    $('keys').replaceChildren(...account.keys.map((key) => {
      const revoke = el('button', { textContent: 'Revoke', onclick: async () => { if (confirm('Revoke ' + key.prefix + '?')) { await call('/portal/keys/' + encodeURIComponent(key.prefix), { method: 'DELETE' }); show(); } } });
      return el('tr', {}, el('td', {}, el('code', { textContent: key.prefix + '\\u2026' })), el('td', { textContent: key.label }), el('td', { textContent: key.created_at.slice(0, 10) }), el('td', {}, key.revoked_at ? 'revoked' : revoke));
    }));
    $('account').hidden = false;
  } catch (error) { $('says').textContent = error.message; $('account').hidden = true; }
}
$('open').onclick = show;
$('create').onclick = async () => {
  try {
    const made = await call('/portal/keys', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ label: $('label').value }) });
    $('made').textContent = made.key + '  (shown once)'; show();
  } catch (error) { $('made').textContent = error.message; }
};
`;

/** The page of an account. */
export const PORTAL_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Account</title><style>${PAGE_STYLE}</style></head>
<body><h1>Account</h1>
<p>The token of the account, which was shown when it was opened <input id="token" type="password" autocomplete="off"> <button id="open">Open</button></p>
<p id="says" class="status"></p>
<div id="account" hidden>
<h2>Spend by day and endpoint</h2><div id="plot"></div>
<h2>Keys</h2><table><tbody id="keys"></tbody></table>
<p><input id="label" placeholder="what the key is for"> <button id="create">Create a key</button> <code id="made"></code></p>
</div>
<script>${PORTAL_SCRIPT}</script></body></html>
`;
