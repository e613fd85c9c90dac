/** Side of the squares that decide which suburbs are neighbours, degrees: about 250 m. */
const SQUARE_DEG = 0.0025;
/** Number of squares in a row around the Earth. */
export const SQUARES = 360 / SQUARE_DEG;

/** Returns the number of the square that contains a point, degrees. */
export const squareOf = (lon: number, lat: number): number =>
  Math.floor((lat + 90) / SQUARE_DEG) * SQUARES + Math.floor((lon + 180) / SQUARE_DEG);
