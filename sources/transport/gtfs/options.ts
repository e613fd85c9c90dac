import { z } from 'zod';
import { TRANSPORT_MODES, type TransportMode } from '../../../schema/records/stop.ts';
import type { DatasetConfig } from '../../adapter.ts';
import { parseOptions } from '../../release/options.ts';

/** Modes of the folders of the Victorian feed. Source: its dataset page. Folder 10 is interstate trains, 11 the airport bus. */
const VIC_FOLDERS: Readonly<Record<string, TransportMode>> = {
  1: 'train',
  2: 'train',
  3: 'tram',
  4: 'bus',
  5: 'bus',
  6: 'bus',
  7: 'bus',
  8: 'bus',
  10: 'train',
  11: 'bus',
};

const optionsSchema = z.strictObject({
  state: z.enum(['NSW', 'VIC', 'QLD', 'SA', 'WA', 'TAS', 'NT', 'ACT']).optional(),
  folders: z.record(z.string().min(1), z.enum(TRANSPORT_MODES)).optional(),
  feeds: z.array(z.string().min(1)).min(1).optional(),
  school_buses: z.boolean().default(false),
  rail_replacement: z.boolean().default(false),
});

export interface GtfsOptions {
  /** Mode of every stop of a feed, by its folder; it overrides the route types of the feed. */
  readonly folders: Readonly<Record<string, TransportMode>>;
  /** The folders that the configuration itself states. */
  readonly ownFolders: Readonly<Record<string, TransportMode>>;
  /** Folders to read; null: all. */
  readonly feeds: readonly string[] | null;
  readonly kept: KeptRoutes;
}

/** Routes that are kept although they are left out by default. */
export interface KeptRoutes {
  readonly school_buses: boolean;
  readonly rail_replacement: boolean;
}

/**
 * Reads the options of a GTFS dataset. `state: VIC` adds the modes of its numbered folders; `folders` adds to them or overrides them.
 * EtlError `bad_option`.
 */
export function readGtfsOptions(dataset: DatasetConfig): GtfsOptions {
  const { state, folders, feeds, ...kept } = parseOptions(optionsSchema, dataset);
  const ownFolders = folders ?? {};
  return {
    folders: { ...(state === 'VIC' ? VIC_FOLDERS : {}), ...ownFolders },
    ownFolders,
    feeds: feeds ?? null,
    kept,
  };
}
