/** Colours of the map's layers, by their parts. */
export const HAZARD_COLOURS = {
  bushfire: '#d9480f',
  flood: '#1c7ed6',
  historical_flood: '#3b5bdb',
  heritage: '#9c36b5',
  landslide: '#a0652f',
  erosion: '#c99a2e',
  environment: '#2b8a3e',
  hv_power_line: '#e03131',
  mobile_black_spot: '#6a7683',
  public_housing: '#c2255c',
};
export const ZONE_COLOURS = {
  residential_low: '#f2c14e',
  residential_medium_high: '#e8873a',
  centre_mixed: '#4b7bd1',
  industrial: '#9a7bc4',
  rural: '#b7c98a',
  conservation: '#3f8f5f',
  open_space: '#7cc47f',
  infrastructure: '#8d99a6',
  water: '#69b5d8',
  other: '#c8a9a0',
};
export const MODE_COLOURS = { train: '#d6336c', tram: '#2b8a3e', bus: '#e8590c', ferry: '#1971c2' };
export const PLACE_COLOURS = {
  supermarket: '#e8590c',
  green_space: '#2f9e44',
  restaurant: '#c2255c',
  beach: '#f08c00',
  railway_station: '#5f3dc4',
};
export const SCHOOL_COLOUR = '#6741d9';
export const OVERLAY_COLOURS = {
  heritage: '#9c36b5',
  flood: '#1c7ed6',
  bushfire: '#d9480f',
  contamination: '#8a6d3b',
  environment: '#2b8a3e',
  design: '#e67700',
  infrastructure: '#5c6b78',
  other: '#7048e8',
};
