import { $, centsText, el, whatIsWrong } from './page.mjs';

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const curlOf = (url, { method, headers, body }) =>
  [
    `curl ${method === 'POST' ? '-X POST ' : ''}${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`-d ${quoted(body)}`] : []),
  ].join(' \\\n  ');
const fetchOf = (url, options) =>
  `const response = await fetch(${JSON.stringify(url)}, ${JSON.stringify(options, null, 2)});\nconsole.log(await response.json());`;
const firstSentence = (text) => (/^.*?[.](?= |$)/s.exec(text) || [text])[0];
/** Price of a call; a call without a price costs what its answers cost. */
const priceOf = ({ 'x-price-cents': cents }) =>
  cents === undefined ? 'price of its answers' : cents === 0 ? 'free' : centsText(cents);

/** Lists every operation of the OpenAPI document with a form, filled in with the sandbox key and a sample. */
async function start() {
  const [doc, sandbox] = await Promise.all(
    ['/openapi.json', '/sandbox.json'].map((url) => fetch(url).then((r) => r.json())),
  );
  const key = $('key');
  key.value = sandbox.key;
  const sample = sandbox.samples.find((each) => each.state === 'VIC') ||
    sandbox.samples[0] || { gnaf_pid: '', sal: '' };
  const sampleValues = {
    gnaf_id: sample.gnaf_pid,
    id: sample.gnaf_pid,
    suburb_name: sample.sal,
    suburb: sample.sal,
    suburbs: sample.sal,
    q: sample.sal,
  };
  const groups = [];
  for (const { name } of doc.tags) {
    const calls = Object.entries(doc.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method, operation]) => operation.tags[0] === name && method !== 'head')
        .map(([method, operation]) => ({
          node: form(path, method, operation),
          link: el('a', {
            href: `#${operation.operationId}`,
            textContent: path.replace(/^\/(v1|api)\/((properties|suburbs)\/\{\w+\}\/)?/, ''),
          }),
          text: `${path} ${operation.operationId} ${operation.description}`.toLowerCase(),
        })),
    );
    const group = {
      node: el('section', {}, el('h2', { textContent: name }), ...calls.map(({ node }) => node)),
      links: el('section', {}, el('h3', { textContent: name }), ...calls.map(({ link }) => link)),
      calls,
    };
    groups.push(group);
    $('operations').append(group.node);
    $('contents').append(group.links);
  }
  const search = () => {
    const words = $('search').value.toLowerCase().split(/[ ]+/).filter(Boolean);
    let count = 0;
    for (const { node, links, calls } of groups) {
      for (const call of calls)
        call.node.hidden = call.link.hidden = !words.every((word) => call.text.includes(word));
      const matchCount = calls.filter((call) => !call.node.hidden).length;
      node.hidden = links.hidden = matchCount === 0;
      count += matchCount;
    }
    $('count').textContent = count + (count === 1 ? ' call' : ' calls');
  };
  $('search').oninput = search;
  search();
  const open = () => {
    const called = document.getElementById(location.hash.slice(1));
    if (called?.tagName === 'DETAILS') called.open = true;
    called?.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();
  function form(path, method, operation) {
    const body = operation.requestBody?.content['application/json'].schema;
    const fields = body
      ? Object.entries(body.properties).map(([name, schema]) => ({
          name,
          in: 'body',
          schema,
          description: schema.description,
        }))
      : operation.parameters || [];
    const inputs = fields.map((field) =>
      el('input', {
        name: field.name,
        value:
          field.in === 'path' || field.required || (body && field.name === 'id') || field.name === 'suburbs'
            ? sampleValues[field.name] || ''
            : '',
        placeholder: field.schema.default === undefined ? '' : String(field.schema.default),
      }),
    );
    const status = el('p', { className: 'status', role: 'status' });
    const output = el('pre', { hidden: true, tabIndex: 0 });
    const rows = fields.map((field, i) =>
      el(
        'label',
        {},
        el('b', { textContent: field.name }),
        inputs[i],
        el('span', { textContent: field.description || '' }),
      ),
    );
    const says = (text, isWrong) => {
      status.textContent = text;
      status.className = isWrong ? 'status fail' : 'status';
    };
    const show = (text) => {
      output.hidden = false;
      output.textContent = text;
    };
    const request = () => {
      let url = path;
      const query = new URLSearchParams();
      const data = {};
      fields.forEach((field, i) => {
        const value = inputs[i].value;
        if (field.in === 'path') url = url.replace(`{${field.name}}`, encodeURIComponent(value));
        else if (value !== '') {
          if (body) data[field.name] = value;
          else query.set(field.name, value);
        }
      });
      const headers =
        key.value && !(operation.security && operation.security.length === 0)
          ? { authorization: `Bearer ${key.value}` }
          : {};
      return [
        location.origin + url + (query.size ? `?${query}` : ''),
        body
          ? {
              method: 'POST',
              headers: { ...headers, 'content-type': 'application/json' },
              body: JSON.stringify(data),
            }
          : { method: 'GET', headers },
      ];
    };
    const send = async (event) => {
      event.preventDefault();
      const empty = fields.find((field, i) => field.in === 'path' && inputs[i].value === '');
      if (empty) {
        says(`${empty.name}: write a value first.`, true);
        return;
      }
      const began = performance.now();
      says('Asked …', false);
      const response = await fetch(...request()).catch((error) => ({ error }));
      if (response.error) {
        says(`The service does not answer: ${response.error.message}`, true);
        return;
      }
      const text = await response.text();
      let answer = null;
      try {
        answer = JSON.parse(text);
      } catch {}
      const header = (name, says) => (response.headers.has(name) ? says(response.headers.get(name)) : []);
      const headerTexts = [
        header('x-cost-cents', (cents) => `cost ${centsText(cents)}`),
        header('x-remaining-cents', (cents) => `balance ${centsText(cents)}`),
        header('x-publication', (number) => `publication ${number}`),
        header('x-request-id', (id) => `request ${id}`),
      ].flat();
      const wrong = response.ok ? '' : `: ${whatIsWrong(answer?.detail) || text.slice(0, 200)}`;
      says(
        `${response.status + wrong} in ${Math.round(performance.now() - began)} ms; ${headerTexts.join(', ')}`,
        !response.ok,
      );
      show(answer === null ? text : JSON.stringify(answer, null, 2).slice(0, 20000));
    };
    const copy = async (text) => {
      show(text);
      try {
        await navigator.clipboard.writeText(text);
        says('Copied.', false);
      } catch {
        getSelection().selectAllChildren(output);
        says('This browser does not let the page copy; the text is selected.', false);
      }
    };
    const button = (textContent, className, onclick) =>
      el('button', { type: 'button', textContent, className, onclick });
    return el(
      'details',
      { id: operation.operationId },
      el(
        'summary',
        {},
        el('code', { textContent: `${method.toUpperCase()} ${path}` }),
        ' ',
        el('span', { textContent: priceOf(operation) }),
        el('span', { className: 'brief', textContent: firstSentence(operation.description) }),
      ),
      el('p', { textContent: operation.description }),
      el(
        'form',
        { onsubmit: send },
        ...rows,
        el('button', { textContent: 'Try it' }),
        button('Copy as curl', 'plain', () => copy(curlOf(...request()))),
        button('Copy as fetch', 'plain', () => copy(fetchOf(...request()))),
      ),
      status,
      output,
    );
  }
}
start().catch((error) => {
  $('operations').textContent = `The calls cannot be listed: ${error.message}`;
});
