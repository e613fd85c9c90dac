/** Minimum zoom of web map tiles that show the boundaries of a region level. */
export const REGION_ZOOM = { SAL: 7, SA2: 7, SA3: 5, SA4: 0, LGA: 6, POA: 7 } as const;
