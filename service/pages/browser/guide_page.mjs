import { el } from './page.mjs';

/** Adds to every example a button that copies it, and the real answer of this service. */
const { key, samples } = await fetch('/sandbox.json').then((response) => response.json());

async function call(path, options = {}) {
  const headers = { ...options.headers, authorization: `Bearer ${key}` };
  const response = await fetch(path, { ...options, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text}`);
  return text;
}

const indented = (text) => JSON.stringify(JSON.parse(text), null, 2);

async function valuation() {
  const match = JSON.parse(
    await call(`/v1/geocode/address?${new URLSearchParams({ address: samples[0].address })}`),
  );
  return indented(await call(`/v1/properties/${match.data.gnaf_pid}/valuation/avm`));
}

/** Answer that several examples share. */
let shared;

/** Returns the answer of an example. Null: the example makes no call. */
function answerOf(text) {
  if (samples.length === 0) return null;
  if (text.includes('/v1/batch')) {
    const [, body] = /-d '([^']+)'/.exec(text);
    return call('/v1/batch', { method: 'POST', headers: { 'content-type': 'application/json' }, body }).then(
      indented,
    );
  }
  if (!text.includes('valuation/avm')) return null;
  shared ??= valuation();
  return shared;
}

for (const pre of document.querySelectorAll('.guide pre:not(:has(.language-json))')) {
  const text = pre.textContent.trimEnd();
  const copy = el('button', { type: 'button', className: 'plain', textContent: 'Copy' });
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(pre);
      copy.textContent = 'Selected: this browser does not let the page copy';
    }
  };
  const example = el('div', { className: 'example' });
  pre.replaceWith(example);
  example.append(el('div', {}, pre, copy));
  const answer = answerOf(text);
  if (answer === null) continue;
  const output = el('pre', { tabIndex: 0, className: 'answer', textContent: '…' });
  output.setAttribute('aria-label', 'Answer of this service');
  example.append(output);
  answer.then(
    (body) => {
      output.textContent = body;
    },
    (error) => {
      output.textContent = `No answer: ${error.message}`;
    },
  );
}
