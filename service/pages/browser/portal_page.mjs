import { $, centsText, el, whatIsWrong } from './page.mjs';
import { plotUsage } from './usage_plot.mjs';

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
async function revoke({ prefix, label }) {
  const question = `Revoke the key ${prefix}… (${label})? Every call with it fails from then on, and it cannot be undone.`;
  if (!confirm(question)) return;
  try {
    await call(`/portal/keys/${encodeURIComponent(prefix)}`, { method: 'DELETE' });
    show();
  } catch (error) {
    says(error.message, true);
  }
}

function expiryText({ expires_at }) {
  if (expires_at === null) return 'never';
  const isOver = Date.parse(expires_at) <= Date.now();
  return `${expires_at.slice(0, 16).replace('T', ' ')} UTC${isOver ? ' (expired)' : ''}`;
}

const keyRow = (key) =>
  tableRow([
    ['key', el('code', { textContent: `${key.prefix}…` })],
    ['for', key.label],
    ['made', key.created_at.slice(0, 10)],
    ['expires', expiryText(key)],
    ['a day', key.day_cents_max === null ? 'no cap' : centsText(key.day_cents_max)],
    ['may ask', key.scope === null ? 'everything' : key.scope.join(' ')],
    [
      '',
      key.revoked_at
        ? 'revoked'
        : el('button', { textContent: 'Revoke', className: 'danger', onclick: () => revoke(key) }),
    ],
  ]);

const WATCH_STATES = {
  unverified: 'waits for its receiver',
  active: 'active',
  given_up: 'stopped: undelivered for a day',
};
const watchRow = (watch) =>
  tableRow([
    ['number', String(watch.watch_id)],
    ['to', el('code', { textContent: watch.url })],
    ['properties', String(watch.properties)],
    ['state', WATCH_STATES[watch.state]],
    ['notified up to publication', String(watch.since)],
    ['last failure', watch.error ?? 'none'],
  ]);

/** Shows the account: its balance and spend, its keys and its watches. */
async function show() {
  try {
    const account = await call('/portal/account');
    says(
      `${account.name}: balance ${centsText(account.balance_cents)}, spent ${centsText(account.spent_cents)}`,
      false,
    );
    const width = Math.max(320, Math.min(900, $('says').parentElement.clientWidth));
    $('plot').replaceChildren(...plotUsage(account.usage, width));
    const newest = [...account.keys].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
    $('keys').replaceChildren(...newest.map(keyRow));
    $('watches').replaceChildren(...account.watches.map(watchRow));
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
