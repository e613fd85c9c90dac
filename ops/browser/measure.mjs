/** Colours suburbs by a measure, in five classes with about as many suburbs each. Changes are classed by their sign and size. */
import { element } from './dom.mjs';

const LOW_TO_HIGH = ['#fde9c8', '#f5bd7c', '#e2816a', '#b04a78', '#5b2a78'];
const FELL_TO_ROSE = ['#2166ac', '#92c5de', '#f2f0eb', '#f4a582', '#b2182b'];
const NO_VALUE = '#b9c2ca';

const format = (value, unit) => {
  if (unit === 'dollars') return `$${Math.round(value).toLocaleString('en-AU')}`;
  if (unit === 'percent') return `${value.toFixed(1)} %`;
  if (unit === 'share') return `${(100 * value).toFixed(value > 0 && value < 0.01 ? 2 : 0)} %`;
  return value.toLocaleString('en-AU');
};

/** Class boundaries: quintiles without repeats. */
function breaksOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const cuts = [0.2, 0.4, 0.6, 0.8].map((share) => sorted[Math.floor(share * (sorted.length - 1))]);
  return [...new Set(cuts)].filter((cut) => cut > sorted[0]);
}

const signed = (value, unit) =>
  value === 0 ? 'the same' : `${value < 0 ? '−' : '+'}${format(Math.abs(value), unit)}`;

/** Classes of changes: falls and rises, each divided at its median. `from`: lower bound of a class. */
function riseClasses(values, unit) {
  const sizes = values.map(Math.abs).filter((size) => size > 0);
  const cut = sizes.sort((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 1;
  const word = signed(cut, unit).slice(1);
  const texts = [
    `fell by more than ${word}`,
    `fell by up to ${word}`,
    'the same',
    `rose by less than ${word}`,
    `rose by ${word} or more`,
  ];
  const from = [Number.NEGATIVE_INFINITY, -cut, 0, 1e-9, cut];
  return texts.map((text, i) => ({ from: from[i], colour: FELL_TO_ROSE[i], text }));
}

/** Classes of values: quintiles without repeats. */
function levelClasses(values, unit) {
  const breaks = breaksOf(values);
  const ends = [Math.min(...values), ...breaks, Math.max(...values)];
  return [...breaks, 0].map((_, i) => ({
    from: ends[i],
    colour: LOW_TO_HIGH[i],
    text:
      breaks.length === 0
        ? format(ends[0], unit)
        : `${format(ends[i], unit)} to ${format(ends[i + 1], unit)}`,
  }));
}

const UNITS = { dollars: 'dollars', percent: '%', share: '% of properties', count: 'rows' };

/** Title of a legend, with its unit. A rise of a percentage is in points. */
const titleOf = ({ title, unit, isChange, name }, isRise) =>
  isRise && !isChange && name !== 'estimate_change'
    ? `Rise of: ${title}, ${unit === 'dollars' ? 'dollars' : 'percentage points'}`
    : `${title}, ${UNITS[unit]}`;

const classRow = (colour, text) => {
  const swatch = element('span', { className: 'swatch' });
  swatch.style.background = colour;
  return element('div', {}, swatch, text);
};

/**
 * Requests a measure and colours suburbs by it; without a name, removes the colours. Returns the number of suburbs with a value. `signal`
 * ends a request that a later choice replaces: the map then keeps that choice.
 */
export async function colourBy(map, measure, { legend, land, publication, since, signal }) {
  const { name, unit, isChange = false } = measure;
  map.removeFeatureState({ source: 'SAL', sourceLayer: 'SAL' });
  if (!name) {
    map.setPaintProperty('SAL-fill', 'fill-color', land.fill);
    map.setPaintProperty('SAL-dot', 'circle-color', land.dot);
    legend.replaceChildren();
    return null;
  }
  const when = new URLSearchParams({ ...(publication && { publication }), ...(since && { since }) });
  legend.replaceChildren('Loading…');
  const response = await fetch(`/map/measures/${encodeURIComponent(name)}?${when}`, { signal });
  const answer = await response.json();
  signal?.throwIfAborted();
  if (!response.ok) throw new Error(answer.message);
  const values = answer.values;
  for (const { area, value } of values)
    map.setFeatureState({ source: 'SAL', sourceLayer: 'SAL', id: area }, { value });
  const all = values.map(({ value }) => value);
  const isRise = Boolean(since) && !isChange;
  const classes = all.length === 0 ? [] : isRise ? riseClasses(all, unit) : levelClasses(all, unit);
  const state = ['feature-state', 'value'];
  const steps = ['step', ['number', state, 0], classes[0]?.colour ?? NO_VALUE];
  for (const { from, colour } of classes.slice(1)) steps.push(from, colour);
  const colour = [
    'case',
    ['==', ['typeof', state], 'number'],
    classes.length > 1 ? steps : steps[2],
    NO_VALUE,
  ];
  map.setPaintProperty('SAL-fill', 'fill-color', colour);
  map.setPaintProperty('SAL-dot', 'circle-color', colour);
  legend.replaceChildren(
    element('strong', { textContent: titleOf(measure, isRise) }),
    ...classes.map(({ colour, text }) => classRow(colour, text)),
    classRow(NO_VALUE, 'no value'),
    `${values.length.toLocaleString('en-AU')} ${values.length === 1 ? 'suburb has' : 'suburbs have'} a value.${answer.note ? ` ${answer.note}` : ''}`,
  );
  return values.length;
}

export { format };
