import { overlayPieceRecord } from '../../schema/records/overlay.ts';
import type { Row } from '../../schema/table.ts';
import { adapterNamed } from '../../sources/index.ts';
import { type Councils, readCouncils } from './councils.ts';
import { type Claim, narrowedClaim } from './coverage_claim.ts';
import type { DatasetCandidate } from './dataset_candidate.ts';
import type { DatasetWithExtent } from './recognised.ts';
import type { Discovered } from './trial_read.ts';

type OverlayPieceRow = Row<typeof overlayPieceRecord>;

/** Returns the only kind of overlay in a dataset, reading until there is a second one; null: several. */
export async function onlyOverlay(
  { adapter }: DatasetCandidate,
  { release, parts }: Discovered,
): Promise<string | null> {
  const kinds = new Set<string>();
  for (const part of parts)
    for await (const { records = [] } of adapterNamed(adapter).readPart(release, part, {})) {
      for (const { table, rows } of records)
        if (table.name === overlayPieceRecord.name)
          for (const row of rows) kinds.add((row as unknown as OverlayPieceRow).layer);
      if (kinds.size > 1) return null;
    }
  return [...kinds][0] ?? null;
}

/** Limits the coverage of datasets that claim a whole state to what their features show, by the councils of ABS boundaries in the folder. */
export async function withClaims(
  folder: string,
  datasets: readonly DatasetWithExtent[],
): Promise<DatasetWithExtent[]> {
  let councils: Promise<Councils | null> | undefined;
  const boundaries = datasets.find(({ dataset }) => dataset.adapter === 'asgs')?.dataset;
  const readOnce = () =>
    (councils ??= boundaries === undefined ? Promise.resolve(null) : readCouncils(folder, boundaries));
  return Promise.all(
    datasets.map(async (each) => {
      const { dataset, extent, claimed, only_overlay } = each;
      if (claimed === null || extent === null) return each;
      const claim: Claim | null =
        only_overlay === null
          ? narrowedClaim(dataset.adapter, claimed, extent, await readOnce())
          : {
              coverage: 'none',
              note: `Its only kind of overlay is ${only_overlay}: places without one count as unknown, because of other kinds.`,
              isOpen: false,
            };
      if (claim === null) return each;
      const options = { ...dataset.options, coverage: claim.coverage };
      const notes = [...dataset.notes, claim.note];
      return {
        ...each,
        dataset: { ...dataset, options, notes, coverage_question: claim.isOpen ? claim.note : null },
      };
    }),
  );
}
