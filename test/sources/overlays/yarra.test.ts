import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { overlayPieceRecord } from '../../../schema/records/overlay.ts';
import { overlaysAdapter } from '../../../sources/overlays/adapter.ts';
import { hasSharedData } from '../../shared_data.ts';
import { adapterConformance, readPart } from '../conformance.ts';
import { datasetOf, YARRA } from '../release_folder.ts';

const present = hasSharedData('the overlays of the City of Yarra');
const dataset = () =>
  datasetOf(join(YARRA, 'planning/VMPLAN'), { options: { state: 'VIC' } }, /PLAN_(OVERLAY|CODELIST)\./);

describe.skipIf(!present)('overlays adapter, City of Yarra', () => {
  adapterConformance('overlays, City of Yarra', async () => ({
    adapter: overlaysAdapter,
    dataset: await dataset(),
  }));

  it('knows the family of every overlay, and says code and description', async () => {
    const { release, parts } = await overlaysAdapter.discover(await dataset());
    expect(parts.map(({ id }) => id)).toEqual(['PLAN_OVERLAY', '(coverage)']);
    const { rows, rejects, accounts, notes } = await readPart(overlaysAdapter, release, parts[0]!);
    expect([rejects, notes]).toEqual([[], []]);
    expect(accounts[0]).toMatchObject({ rows_in: 2782, records: 2781, drops: { not_gazetted: 1 } });
    const byValue = new Map(rows.get(overlayPieceRecord)!.map((row) => [row.value, row]));
    expect(byValue.get('HO1093 Heritage Overlay')).toMatchObject({
      layer: 'Heritage Overlay',
      code: 'HO1093',
    });
    expect(byValue.get('DDO1 Design and Development Overlay - Schedule 1')).toMatchObject({
      layer: 'Design and Development Overlay',
    });
    expect(byValue.has('EAO Environmental Audit Overlay')).toBe(true);
    const layers = new Set([...byValue.values()].map((row) => row.layer));
    expect(layers.size).toBe(16);
  });
});
