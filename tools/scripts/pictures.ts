import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { withDatabase } from '../../cli/database.ts';
import { loadConfig } from '../../cli/load_config.ts';
import { startOps } from '../../ops/server.ts';
import { openPool } from '../../store/database.ts';
import { launch, mapIsDrawn, openWindow } from '../../test/ops/browser.ts';

const OUT = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const WIDTH = 1280;
/** The example property of the README. */
const PROPERTY = 'GAVIC900000001';

/** Takes the pictures of the README from the console of the demo; needs Chromium. */
await mkdir(OUT, { recursive: true });
const { config } = await loadConfig({ config: '.data/sample/config.yaml', set: ['ops.port=0'] }, process.env);
await withDatabase(config, async (url) => {
  const pool = openPool(url, 1);
  const { rows } = await pool.query<{ lon: number; lat: number; run_id: number }>(
    `SELECT avg(lon) AS lon, avg(lat) AS lat, (SELECT max(run_id) FROM control.run WHERE state = 'published') AS run_id
     FROM serving.property WHERE state = 'VIC' GROUP BY sal ORDER BY count(lon) DESC, sal LIMIT 1`,
  );
  await pool.end();
  const { lon, lat, run_id } = rows[0]!;
  const server = await startOps(url, config);
  const browser = await launch();
  try {
    const { page } = await openWindow(browser, server.url, WIDTH);
    await page.goto(
      `${server.url}/map?layers=SAL,street,parcel,address,zone,flood,bushfire#at=16.2/${lat}/${lon}`,
    );
    await mapIsDrawn(page);
    await page.screenshot({ path: `${OUT}map.png` });
    await page.goto(`${server.url}/property/${PROPERTY}`);
    await mapIsDrawn(page);
    await page.screenshot({ path: `${OUT}property.png` });
    await page.goto(`${server.url}/runs/${run_id}`);
    await page.screenshot({ path: `${OUT}report.png` });
  } finally {
    await browser.close();
    await server.close();
  }
});
