/** Colours suburbs by the values of a measure, in five classes of about as many suburbs each. */

const LOW_TO_HIGH = ['#fde9c8', '#f5bd7c', '#e2816a', '#b04a78', '#5b2a78'];
const NO_VALUE = '#b9c2ca';

const format = (value, unit) => {
  if (unit === 'dollars') return `$${Math.round(value).toLocaleString('en-AU')}`;
  if (unit === 'percent') return `${value.toFixed(1)} %`;
  if (unit === 'share') return `${(100 * value).toFixed(value > 0 && value < 0.01 ? 2 : 0)} %`;
  return value.toLocaleString('en-AU');
};

/** Values at which a class ends and the next begins: quintiles without repeats. */
function breaksOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const cuts = [0.2, 0.4, 0.6, 0.8].map((share) => sorted[Math.floor(share * (sorted.length - 1))]);
  return [...new Set(cuts)].filter((cut) => cut > sorted[0]);
}

function classRow(colour, text) {
  const row = document.createElement('div');
  const swatch = document.createElement('span');
  swatch.className = 'swatch';
  swatch.style.background = colour;
  row.append(swatch, text);
  return row;
}

/** Asks for a measure and colours by it; without a name suburbs have no colour. Returns how many have a value. */
export async function colourBy(map, { name, unit }, legend, land) {
  map.removeFeatureState({ source: 'SAL', sourceLayer: 'SAL' });
  if (!name) {
    map.setPaintProperty('SAL-fill', 'fill-color', land.fill);
    map.setPaintProperty('SAL-fill', 'fill-opacity', 1);
    map.setPaintProperty('SAL-dot', 'circle-color', land.dot);
    legend.replaceChildren();
    return null;
  }
  const response = await fetch(`/map/measures/${encodeURIComponent(name)}`);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  const values = answer.values;
  for (const { area, value } of values)
    map.setFeatureState({ source: 'SAL', sourceLayer: 'SAL', id: area }, { value });
  const breaks = breaksOf(values.map(({ value }) => value));
  const colours = breaks.length === 4 ? LOW_TO_HIGH : LOW_TO_HIGH.slice(0, breaks.length + 1);
  const state = ['feature-state', 'value'];
  const steps =
    breaks.length === 0
      ? colours[0]
      : ['step', ['number', state, 0], colours[0], ...breaks.flatMap((cut, i) => [cut, colours[i + 1]])];
  const colour = ['case', ['==', ['typeof', state], 'number'], steps, NO_VALUE];
  map.setPaintProperty('SAL-fill', 'fill-color', colour);
  map.setPaintProperty('SAL-fill', 'fill-opacity', 0.78);
  map.setPaintProperty('SAL-dot', 'circle-color', colour);
  const all = values.map(({ value }) => value);
  const ends = [Math.min(...all), ...breaks, Math.max(...all)];
  const rows =
    values.length === 0
      ? []
      : colours.map((own, i) =>
          classRow(
            own,
            i + 1 === colours.length && breaks.length === 0
              ? format(ends[0], unit)
              : `${format(ends[i], unit)} to ${format(ends[i + 1], unit)}`,
          ),
        );
  legend.replaceChildren(
    ...rows,
    classRow(NO_VALUE, 'no value'),
    `${values.length.toLocaleString('en-AU')} suburbs have a value.${answer.note ? ` ${answer.note}` : ''}`,
  );
  return values.length;
}

export { format };
