/** Suggests properties and suburbs below the field of the header while one types. Arrow keys go through them, Escape closes them. */
const input = document.getElementById('find');
const list = document.getElementById('found');
/** A pause of so long is taken for the end of a word. */
const PAUSE_MS = 150;
let timer;
/** The text that was asked for last: an answer to another one comes too late. */
let asked = '';

function item({ href, text, note }) {
  const link = Object.assign(document.createElement('a'), { href, textContent: text });
  link.append(Object.assign(document.createElement('span'), { textContent: note }));
  const row = document.createElement('li');
  row.append(link);
  return row;
}

async function suggest() {
  const text = input.value.trim();
  if (text === asked) return;
  asked = text;
  const { places } =
    text === '' ? { places: [] } : await (await fetch(`/find?q=${encodeURIComponent(text)}`)).json();
  if (text === asked) list.replaceChildren(...places.map(item));
}

input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => suggest().catch(close), PAUSE_MS);
});
const close = () => {
  asked = '';
  list.replaceChildren();
};
const place = input.closest('.find');
place.addEventListener('keydown', (event) => {
  const links = [input, ...list.querySelectorAll('a')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined && links.length > 1) {
    event.preventDefault();
    links[(links.indexOf(document.activeElement) + step + links.length) % links.length].focus();
  }
  if (event.key !== 'Escape') return;
  close();
  input.focus();
});
place.addEventListener('focusout', ({ relatedTarget }) => {
  if (!place.contains(relatedTarget)) close();
});
