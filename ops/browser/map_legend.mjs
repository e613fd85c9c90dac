import { element } from './dom.mjs';
import { hatching, legendKey } from './map_style.mjs';

/** Builds a patch that looks like the layer on the map. */
export function swatch({ fill, line, dot, hatch, text, at }) {
  const patch = element('span', { className: dot ? 'swatch dot' : 'swatch', ariaHidden: 'true' });
  if (fill) patch.style.background = fill;
  if (line) patch.style.borderColor = line;
  if (text) patch.append('A');
  if (hatch) {
    patch.style.backgroundImage = `url(${hatching({ hatch, at }).toDataURL()})`;
    patch.style.borderColor = hatch;
  }
  return patch;
}

/** Lists the parts of a layer that are visible on the screen. */
function partsOnScreen(map, name, by) {
  const layers = map.getStyle().layers.filter(({ source, type }) => source === name && type !== 'symbol');
  const features = map.queryRenderedFeatures({ layers: layers.map(({ id }) => id) });
  return new Set(features.map(({ properties }) => properties[by]));
}

/** Builds the legend of a layer from its visible parts. */
function rowsOf(map, { name, title }, night) {
  const { parts, by, words = {}, ...own } = legendKey(name, night);
  if (!parts) return [element('li', {}, swatch(own), title)];
  const onScreen = partsOnScreen(map, name, by);
  const visibleParts = Object.entries(parts).filter(([part]) => onScreen.has(part));
  const rows = visibleParts.map(([part, fill]) =>
    element(
      'li',
      {},
      swatch(own.hatch ? { ...own, hatch: fill } : { ...own, fill }),
      words[part] ?? part.replaceAll('_', ' '),
    ),
  );
  return rows.length === 0 ? [] : [element('li', { className: 'of', textContent: title }), ...rows];
}

export function drawLegend(list, map, layers, night) {
  const drawn = layers.filter(({ min_zoom, counts }) => !counts && map.getZoom() >= min_zoom);
  list.replaceChildren(...drawn.flatMap((layer) => rowsOf(map, layer, night)));
}
