import { STYLE } from '../ops/look/style.ts';

/** Script of the page: lists every operation of the OpenAPI document with a form, the sandbox key and a sample filled in. */
export const TRY_SCRIPT = `
const el = (tag, props = {}, ...children) => { const node = Object.assign(document.createElement(tag), props); node.append(...children); return node; };
async function start() {
  const [doc, sandbox] = await Promise.all(['/openapi.json', '/sandbox.json'].map((url) => fetch(url).then((r) => r.json())));
  const key = document.getElementById('key');
  key.value = sandbox.key;
  const sample = sandbox.samples.find((each) => each.state === 'VIC') || sandbox.samples[0] || { gnaf_pid: '', sal: '' };
  const known = { gnaf_id: sample.gnaf_pid, id: sample.gnaf_pid, suburb_name: sample.sal, suburb: sample.sal, suburbs: sample.sal, q: sample.sal };
  const list = document.getElementById('operations');
  for (const { name } of doc.tags) {
    list.append(el('h2', { textContent: name }));
    for (const [path, methods] of Object.entries(doc.paths)) for (const [method, operation] of Object.entries(methods))
      if (operation.tags[0] === name && method !== 'head') list.append(form(path, method, operation));
  }
  function form(path, method, operation) {
    const body = operation.requestBody && operation.requestBody.content['application/json'].schema;
    const fields = body
      ? Object.entries(body.properties).map(([name, schema]) => ({ name, in: 'body', schema, description: schema.description }))
      : operation.parameters || [];
    const inputs = fields.map((field) => el('input', { name: field.name, value: field.in === 'path' || field.required || (body && field.name === 'id') || field.name === 'suburbs' ? known[field.name] || '' : '', placeholder: field.schema.default === undefined ? '' : String(field.schema.default) }));
    const status = el('p', { className: 'status' });
    const output = el('pre', { hidden: true });
    const send = el('button', { textContent: 'Try it' });
    const rows = fields.map((field, i) => el('label', {}, el('b', { textContent: field.name }), inputs[i], el('span', { textContent: field.description || '' })));
    const node = el('details', { id: operation.operationId }, el('summary', {}, el('code', { textContent: method.toUpperCase() + ' ' + path }), ' ', el('span', { textContent: operation['x-price-cents'] ? operation['x-price-cents'] + ' c' : 'free' })), el('p', { textContent: operation.description }), ...rows, send, status, output);
    send.onclick = async () => {
      let url = path; const query = new URLSearchParams(); const data = {};
      fields.forEach((field, i) => { const value = inputs[i].value; if (field.in === 'path') url = url.replace('{' + field.name + '}', encodeURIComponent(value)); else if (value !== '') { if (body) data[field.name] = value; else query.set(field.name, value); } });
      const headers = key.value && !(operation.security && operation.security.length === 0) ? { authorization: 'Bearer ' + key.value } : {};
      const began = performance.now();
      status.textContent = 'Asked …';
      const response = await fetch(url + (query.size ? '?' + query : ''), body ? { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(data) } : { headers }).catch((error) => ({ error }));
      if (response.error) { status.textContent = 'The service does not answer: ' + response.error.message; return; }
      const text = await response.text();
      const named = ['x-cost-cents', 'x-remaining-cents', 'x-publication', 'x-request-id'].filter((name) => response.headers.has(name)).map((name) => name + ' ' + response.headers.get(name));
      status.textContent = response.status + ' in ' + Math.round(performance.now() - began) + ' ms; ' + named.join(', ');
      output.hidden = false;
      try { output.textContent = JSON.stringify(JSON.parse(text), null, 2).slice(0, 20000); } catch { output.textContent = text; }
    };
    return node;
  }
}
start().catch((error) => { document.getElementById('operations').textContent = 'The calls cannot be listed: ' + error.message; });
`;

/** What the pages of the service have beside the look of the console. */
const OWN_STYLE = `
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:.3rem .8rem}
summary code{white-space:normal;overflow-wrap:anywhere;color:var(--ink)}summary span{float:right}
label{display:grid;grid-template-columns:14rem 16rem 1fr;gap:.6rem;margin:.3rem 0;align-items:center}label b{overflow-wrap:anywhere}p label{display:block}
label span,.status{color:var(--soft);font-size:.85rem}#key{width:100%;font-family:ui-monospace,monospace}
button{background:var(--link);border-color:var(--link);color:var(--ground);margin:.4rem 0;padding:.3rem .9rem}
button.danger{background:none;border-color:var(--fail);color:var(--fail);font-weight:600}#made{white-space:normal;overflow-wrap:anywhere}
@media (max-width:45rem){summary span{float:none}label{grid-template-columns:1fr;gap:.1rem}}
`;

/** A page of the service; `at`: its path. */
export const servicePage = (at: string, title: string, body: string, script: string): string => {
  const link = (path: string, name: string): string =>
    `<a href="${path}"${path === at ? ' aria-current="page"' : ''}>${name}</a>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${STYLE}${OWN_STYLE}</style></head>
<body><header class="top"><span class="name">Property and suburb data</span><nav aria-label="Service">${link('/', 'Try it')}${link('/portal', 'Account')}</nav></header>
<main><h1>${title}</h1>${body}</main><script>${script}</script></body></html>
`;
};

/** The page where every call can be tried. */
export const TRY_PAGE = servicePage(
  '/',
  'Try every call',
  `<p>The public sandbox key is filled in: it answers for one property and one suburb of each state, and costs nothing.
The whole description is <a href="/openapi.json">openapi.json</a>; the same calls are tools at <code>/mcp</code>.</p>
<p><label for="key">Key</label><input id="key" autocomplete="off" spellcheck="false"></p>
<div id="operations"></div>`,
  TRY_SCRIPT,
);
