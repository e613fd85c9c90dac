/** Side of the squares that tell which suburbs lie beside one another, degrees: about 250 m. */
const SQUARE_DEG = 0.0025;
/** Squares in a row around the Earth. */
export const SQUARES = 360 / SQUARE_DEG;

/** Number of the square that a point lies in, degrees. */
export const squareOf = (lon: number, lat: number): number =>
  Math.floor((lat + 90) / SQUARE_DEG) * SQUARES + Math.floor((lon + 180) / SQUARE_DEG);
