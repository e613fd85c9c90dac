import { join } from 'node:path';
import { editRows, editZip } from '../edit_release.ts';
import { GNAF, type Scene } from './night.ts';

/** Takes the coordinates from some addresses: that of each and that of its site. Their rows go too, or stay with no value. */
export async function unplace({ dir }: Scene, pids: readonly string[], rows: 'go' | 'stay'): Promise<void> {
  const sites = new Set<string>();
  const zip = join(dir, GNAF);
  await editZip(zip, /_ADDRESS_DETAIL_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => {
      if (pids.includes(row[0]!)) sites.add(row[columns.indexOf('ADDRESS_SITE_PID')]!);
      return row;
    }),
  );
  if (sites.has('')) throw new Error('an address has no site');
  await editZip(zip, /_ADDRESS_DEFAULT_GEOCODE_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => {
      if (!pids.includes(row[columns.indexOf('ADDRESS_DETAIL_PID')]!)) return row;
      if (rows === 'go') return null;
      for (const name of ['LONGITUDE', 'LATITUDE']) row[columns.indexOf(name)] = '';
      return row;
    }),
  );
  // The point of its site would be that of an address without one.
  await editZip(zip, /_ADDRESS_SITE_GEOCODE_psv\.psv$/, (text) =>
    editRows(text, (row, columns) => (sites.has(row[columns.indexOf('ADDRESS_SITE_PID')]!) ? null : row)),
  );
}
