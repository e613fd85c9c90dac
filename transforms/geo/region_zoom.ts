/** Zoom of web map tiles from which regions of a level are drawn with their boundaries. */
export const REGION_ZOOM = { SAL: 7, SA2: 7, SA3: 5, SA4: 0, LGA: 6, POA: 7 } as const;
