import { servicePage } from './try_page.ts';

/** Script of the page: asks with the token, which it keeps nowhere, and draws what it gets. */
export const PORTAL_SCRIPT = `
const $ = (id) => document.getElementById(id);
const el = (tag, props = {}, ...children) => { const node = Object.assign(document.createElement(tag), props); node.append(...children); return node; };
const dollars = (cents) => '$' + (cents / 100).toFixed(2);
const whatIsWrong = (detail) => Array.isArray(detail) ? detail.map(({ loc, msg }) => loc[loc.length - 1] + ': ' + msg).join('; ') : detail.msg;
const call = async (path, options = {}) => {
  const token = $('token').value.trim();
  if (token === '') throw new Error('Write the token of the account first.');
  const response = await fetch(path, { ...options, headers: { authorization: 'Bearer ' + token, ...options.headers } });
  if (!response.ok) throw new Error(whatIsWrong((await response.json()).detail));
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
  svg.setAttribute('viewBox', '0 0 ' + width + ' ' + (height + 20)); svg.setAttribute('width', '100%'); svg.setAttribute('role', 'img'); svg.setAttribute('aria-label', 'Spend by day and endpoint');
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
    add('text', { x: i * step + step * .15, y: height + 15, 'font-size': 11, style: 'fill:var(--soft)' }, day.slice(5));
  });
  const legend = el('table', {}, ...shown.map((endpoint, i) => { const mark = el('td', { textContent: '\\u25a0' }); mark.style.color = colours[i]; return el('tr', {}, mark, el('td', {}, el('code', { textContent: endpoint })), el('td', { textContent: dollars(total.get(endpoint)) })); }));
  return usage.length ? [svg, legend] : [el('p', { textContent: 'No calls were charged in the last 31 days.' })];
}
const says = (text, isWrong) => { $('says').textContent = text; $('says').className = isWrong ? 'fail' : 'status'; };
async function show() {
  try {
    const account = await call('/portal/account');
    says(account.name + ': balance ' + dollars(account.balance_cents) + ', spent ' + dollars(account.spent_cents), false);
    $('plot').replaceChildren(...plot(account.usage));
    const newest = [...account.keys].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    $('keys').replaceChildren(...newest.map((key) => {
      const revoke = el('button', { textContent: 'Revoke', className: 'danger', onclick: async () => {
        if (!confirm('Revoke the key ' + key.prefix + '\u2026 (' + key.label + ')? Every call with it fails from then on, and it cannot be undone.')) return;
        try { await call('/portal/keys/' + encodeURIComponent(key.prefix), { method: 'DELETE' }); show(); } catch (error) { says(error.message, true); }
      } });
      const cells = [['key', el('code', { textContent: key.prefix + '\u2026' })], ['for', key.label], ['made', key.created_at.slice(0, 10)], ['', key.revoked_at ? 'revoked' : revoke]];
      return el('tr', {}, ...cells.map(([name, cell]) => { const node = el('td', {}, cell); node.dataset.label = name; return node; }));
    }));
    $('account').hidden = false;
  } catch (error) { says(error.message, true); $('account').hidden = true; }
}
$('open').onclick = show;
$('create').onclick = async () => {
  try {
    const made = await call('/portal/keys', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ label: $('label').value }) });
    $('made').textContent = made.key + '  (shown once)'; $('made').className = 'pass'; show();
  } catch (error) { $('made').textContent = error.message; $('made').className = 'fail'; }
};
`;

/** The page of an account. */
export const PORTAL_PAGE = servicePage(
  '/portal',
  'Account',
  `<p><label for="token">The token of the account, which was shown when it was opened</label><input id="token" type="password" autocomplete="off"> <button id="open">Open</button></p>
<p id="says" class="status" role="status"></p>
<div id="account" hidden>
<h2>Spend by day and endpoint</h2><div id="plot"></div>
<h2>Keys, newest first</h2><div class="rows"><table><tbody id="keys"></tbody></table></div>
<p><input id="label" aria-label="What the key is for" placeholder="what the key is for"> <button id="create">Create a key</button> <code id="made"></code></p>
</div>`,
  PORTAL_SCRIPT,
);
