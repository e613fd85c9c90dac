import { element } from './dom.mjs';

/** Suggests properties and suburbs below the search field while the user types. Arrow keys select, Escape closes. */
const input = document.getElementById('find');
const list = document.getElementById('found');
/** Minimum characters for suggestions, as on the server. */
const SHORTEST = 2;
/** Pause in typing before suggestions are requested, milliseconds. */
const PAUSE_MS = 150;
let timer;
/** Text of the last request: answers to earlier ones are ignored. */
let requestedText = '';

const item = ({ href, text, note }) =>
  element('li', {}, element('a', { href, textContent: text }, element('span', { textContent: note })));
const NO_MATCH = 'No match. Try a street number and name, a suburb, or a G-NAF id.';

async function suggest() {
  const text = input.value.trim();
  if (text === requestedText) return;
  requestedText = text;
  const { places } =
    text === '' ? { places: [] } : await (await fetch(`/find?q=${encodeURIComponent(text)}`)).json();
  if (text !== requestedText) return;
  const isSought = text.length >= SHORTEST;
  list.replaceChildren(
    ...(places.length > 0 || !isSought
      ? places.map(item)
      : [element('li', { textContent: NO_MATCH, className: 'note' })]),
  );
}

input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(() => suggest().catch(close), PAUSE_MS);
});
const close = () => {
  requestedText = '';
  list.replaceChildren();
};
const searchBox = input.closest('.find');
searchBox.addEventListener('keydown', (event) => {
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
searchBox.addEventListener('focusout', ({ relatedTarget }) => {
  if (!searchBox.contains(relatedTarget)) close();
});
