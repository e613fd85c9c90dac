/**
 * Returns a tile's id in a PMTiles archive. Ids of smaller zooms come first. Within a zoom they follow a Hilbert curve, on which the four
 * parts of a tile are consecutive.
 */
export function tileId(z: number, x: number, y: number): number {
  let id = (4 ** z - 1) / 3;
  let [tx, ty] = [x, y];
  for (let side = 2 ** (z - 1); side >= 1; side /= 2) {
    const rx = Math.floor(tx / side) % 2;
    const ry = Math.floor(ty / side) % 2;
    id += side * side * ((3 * rx) ^ ry);
    // Turn the quadrant so that its curve begins where the previous quadrant's ended.
    if (ry === 0) {
      if (rx === 1) {
        tx = side - 1 - (tx % side);
        ty = side - 1 - (ty % side);
      }
      [tx, ty] = [ty, tx];
    }
    tx %= side;
    ty %= side;
  }
  return id;
}
