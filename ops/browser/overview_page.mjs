import { dataOf } from './dom.mjs';
import { openMap } from './map_view.mjs';

/** Map of the served suburbs. A click opens the full map there. */
const container = document.getElementById('map');
const map = container && openMap(container, dataOf('setup'), ['SAL'], { cooperativeGestures: true });
if (map)
  map.on('load', () => {
    map.on('click', ({ lngLat: { lng, lat } }) => {
      location.href = `/map#at=${Math.max(11, map.getZoom()).toFixed(1)}/${lat.toFixed(4)}/${lng.toFixed(4)}`;
    });
    map.on('idle', () => {
      container.dataset.idle = 'yes';
    });
  });
