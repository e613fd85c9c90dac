import { callForm } from './call_form.mjs';
import { $, el } from './page.mjs';

/** Values that fill in a form, by field, from a sample of the sandbox key. */
function valuesOf(samples) {
  const { gnaf_pid, sal } = samples.find(({ state }) => state === 'VIC') ||
    samples[0] || { gnaf_pid: '', sal: '' };
  return { gnaf_id: gnaf_pid, id: gnaf_pid, suburb_name: sal, suburb: sal, suburbs: sal, q: sal };
}

/** Builds the form of a call, its link in the contents, and the text that a search reads. */
const callOf = (path, method, operation, sampleValues) => ({
  node: callForm(path, method, operation, sampleValues),
  link: el('a', {
    href: `#${operation.operationId}`,
    textContent: path.replace(/^\/(v1|api)\/((properties|suburbs)\/\{\w+\}\/)?/, ''),
  }),
  text: `${path} ${operation.operationId} ${operation.description}`.toLowerCase(),
});

/** Builds the calls of a tag, with their forms and links. */
function groupOf(tag, paths, sampleValues) {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, operation]) => operation.tags[0] === tag && method !== 'head')
      .map(([method, operation]) => callOf(path, method, operation, sampleValues)),
  );
  return {
    node: el('section', {}, el('h2', { textContent: tag }), ...calls.map(({ node }) => node)),
    links: el('section', {}, el('h3', { textContent: tag }), ...calls.map(({ link }) => link)),
    calls,
  };
}

/** Shows the calls that have every word of the search, and their number. */
function searchCalls(groups) {
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
}

/** Opens the call that the address of the page names. */
function openLinkedCall() {
  const called = document.getElementById(location.hash.slice(1));
  if (called?.tagName === 'DETAILS') called.open = true;
  called?.scrollIntoView();
}

/** Lists every operation of the OpenAPI document with a form, filled in with the sandbox key and a sample. */
async function start() {
  const [doc, sandbox] = await Promise.all(
    ['/openapi.json', '/sandbox.json'].map((url) => fetch(url).then((r) => r.json())),
  );
  $('key').value = sandbox.key;
  const sampleValues = valuesOf(sandbox.samples);
  const groups = doc.tags.map(({ name }) => groupOf(name, doc.paths, sampleValues));
  $('operations').append(...groups.map(({ node }) => node));
  $('contents').append(...groups.map(({ links }) => links));
  $('search').oninput = () => searchCalls(groups);
  searchCalls(groups);
  addEventListener('hashchange', openLinkedCall);
  openLinkedCall();
}
start().catch((error) => {
  $('operations').textContent = `The calls cannot be listed: ${error.message}`;
});
