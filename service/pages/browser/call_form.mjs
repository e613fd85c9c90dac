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

/** Lists the fields of an operation: the properties of its body, else its parameters. */
function fieldsOf({ requestBody, parameters = [] }) {
  if (!requestBody) return parameters;
  const { properties } = requestBody.content['application/json'].schema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'body',
    schema,
    description: schema.description,
  }));
}

/** Builds the input of a field. Fields that a call needs are filled in from the sample. */
function inputOf({ name, in: location, required, schema }, sampleValues) {
  const isNeeded =
    location === 'path' || required || (location === 'body' && name === 'id') || name === 'suburbs';
  return el('input', {
    name,
    value: isNeeded ? sampleValues[name] || '' : '',
    placeholder: schema.default === undefined ? '' : String(schema.default),
  });
}

/** Builds the request of a filled-in form: its URL and the options of fetch. */
function requestOf(path, { requestBody, security }, fields) {
  let url = location.origin + path;
  const query = new URLSearchParams();
  const data = {};
  for (const field of fields) {
    const { value } = field.input;
    if (field.in === 'path') url = url.replace(`{${field.name}}`, encodeURIComponent(value));
    else if (value !== '' && field.in === 'body') data[field.name] = value;
    else if (value !== '') query.set(field.name, value);
  }
  const key = $('key').value;
  const headers = key && security?.length !== 0 ? { authorization: `Bearer ${key}` } : {};
  if (!requestBody) return [url + (query.size ? `?${query}` : ''), { method: 'GET', headers }];
  const body = JSON.stringify(data);
  return [url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }];
}

/** Builds where an answer is shown: a line about it, and its text. */
function answerPanel() {
  const status = el('p', { className: 'status', role: 'status' });
  const output = el('pre', { hidden: true, tabIndex: 0 });
  return {
    status,
    output,
    report(text, isWrong) {
      status.textContent = text;
      status.className = isWrong ? 'status fail' : 'status';
    },
    show(text) {
      output.hidden = false;
      output.textContent = text;
    },
  };
}

/** Lists what the headers of an answer say about it. */
const headerTexts = ({ headers }) =>
  [
    ['x-cost-cents', (cents) => `cost ${centsText(cents)}`],
    ['x-remaining-cents', (cents) => `balance ${centsText(cents)}`],
    ['x-publication', (number) => `publication ${number}`],
    ['x-request-id', (id) => `request ${id}`],
  ].flatMap(([name, write]) => (headers.has(name) ? write(headers.get(name)) : []));

/** Sends a request and shows its answer. */
async function sendCall(request, panel) {
  const startedAt = performance.now();
  panel.report('Asked …', false);
  const response = await fetch(...request).catch((error) => ({ error }));
  if (response.error) {
    panel.report(`The service does not answer: ${response.error.message}`, true);
    return;
  }
  const text = await response.text();
  let answer = null;
  try {
    answer = JSON.parse(text);
  } catch {}
  const wrong = response.ok ? '' : `: ${whatIsWrong(answer?.detail) || text.slice(0, 200)}`;
  const took = Math.round(performance.now() - startedAt);
  panel.report(`${response.status + wrong} in ${took} ms; ${headerTexts(response).join(', ')}`, !response.ok);
  panel.show(answer === null ? text : JSON.stringify(answer, null, 2).slice(0, 20000));
}

/** Shows a text and copies it. */
async function copyText(text, panel) {
  panel.show(text);
  try {
    await navigator.clipboard.writeText(text);
    panel.report('Copied.', false);
  } catch {
    getSelection().selectAllChildren(panel.output);
    panel.report('This browser does not let the page copy; the text is selected.', false);
  }
}

/** Builds the form of an operation, filled in with values of the sample by field. */
export function callForm(path, method, operation, sampleValues) {
  const fields = fieldsOf(operation).map((field) => ({ ...field, input: inputOf(field, sampleValues) }));
  const panel = answerPanel();
  const request = () => requestOf(path, operation, fields);
  const send = async (event) => {
    event.preventDefault();
    const empty = fields.find((field) => field.in === 'path' && field.input.value === '');
    if (empty) panel.report(`${empty.name}: write a value first.`, true);
    else await sendCall(request(), panel);
  };
  const copyButton = (textContent, write) =>
    el('button', {
      type: 'button',
      textContent,
      className: 'plain',
      onclick: () => copyText(write(...request()), panel),
    });
  const rows = fields.map(({ name, input, description }) =>
    el('label', {}, el('b', { textContent: name }), input, el('span', { textContent: description || '' })),
  );
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
      copyButton('Copy as curl', curlOf),
      copyButton('Copy as fetch', fetchOf),
    ),
    panel.status,
    panel.output,
  );
}
