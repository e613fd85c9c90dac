/** A grid of a test: edges and step in degrees, and the shift of each node in seconds, latitude northwards and longitude westwards. */
export interface TestGrid {
  west: number;
  south: number;
  east: number;
  north: number;
  step: number;
  shift: (lon: number, lat: number) => readonly [lat: number, lonWest: number];
}

/** Writes an NTv2 file from GDA94 to GDA2020. */
export function ntv2File(grids: readonly TestGrid[], to = 'GDA2020', isLittle = true): Buffer {
  const records: Buffer[] = [];
  const record = (name: string, write: (value: Buffer) => void): void => {
    const bytes = Buffer.alloc(16);
    bytes.write(name.padEnd(8), 'latin1');
    write(bytes.subarray(8));
    records.push(bytes);
  };
  const whole = (name: string, value: number): void =>
    record(name, (at) => (isLittle ? at.writeInt32LE(value) : at.writeInt32BE(value)));
  const text = (name: string, value: string): void =>
    record(name, (at) => at.write(value.padEnd(8), 'latin1'));
  const float = (name: string, value: number): void =>
    record(name, (at) => (isLittle ? at.writeDoubleLE(value) : at.writeDoubleBE(value)));
  whole('NUM_OREC', 11);
  whole('NUM_SREC', 11);
  whole('NUM_FILE', grids.length);
  text('GS_TYPE', 'SECONDS');
  text('VERSION', '1.0');
  text('SYSTEM_F', 'GDA94');
  text('SYSTEM_T', to);
  float('MAJOR_F', 6378137);
  float('MINOR_F', 6356752.314);
  float('MAJOR_T', 6378137);
  float('MINOR_T', 6356752.314);
  grids.forEach(({ west, south, east, north, step, shift }, k) => {
    const columns = Math.round((east - west) / step) + 1;
    const rows = Math.round((north - south) / step) + 1;
    text('SUB_NAME', k === 0 ? 'PARENT' : `SUB${k}`);
    text('PARENT', k === 0 ? 'NONE' : 'PARENT');
    text('CREATED', '20260101');
    text('UPDATED', '20260101');
    float('S_LAT', south * 3600);
    float('N_LAT', north * 3600);
    float('E_LONG', -east * 3600);
    float('W_LONG', -west * 3600);
    float('LAT_INC', step * 3600);
    float('LONG_INC', step * 3600);
    whole('GS_COUNT', columns * rows);
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const bytes = Buffer.alloc(16);
        shift(east - column * step, south + row * step).forEach((value, i) => {
          if (isLittle) bytes.writeFloatLE(value, 4 * i);
          else bytes.writeFloatBE(value, 4 * i);
        });
        records.push(bytes);
      }
  });
  record('END', () => undefined);
  return Buffer.concat(records);
}
