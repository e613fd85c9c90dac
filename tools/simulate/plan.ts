import { type Random, seededRandom } from '../sample/random.ts';

const EDITS = [
  'addresses',
  'parcels',
  'zones',
  'hazards',
  'events',
  'late_events',
  'repeated_events',
] as const;
/** A kind of change of the delivered files. `late_events`: events of a past year; `repeated_events`: an earlier file once more. */
export type Edit = (typeof EDITS)[number];

const DAMAGES = ['gnaf', 'parcels', 'events'] as const;
/** A delivered file that arrives damaged; it is replaced by a good one after a run met it. */
export type Damaged = (typeof DAMAGES)[number];

const VICTIMS = ['process', 'session', 'sessions', 'server'] as const;
export type Victim = (typeof VICTIMS)[number];

/** What happens to a run. `point`: after so many points of its work (tools/kills/walk_points.ts); a short run may end before. */
export type Fault =
  | { kind: 'kill'; victim: Victim; point: number }
  | { kind: 'freeze'; point: number; ms: number }
  | { kind: 'slow_link'; seed: number }
  | { kind: 'stalled_link'; point: number; ms: number }
  | { kind: 'cut_link'; point: number }
  /** Hours by which the clock of the process is wrong at its start and from the point on. */
  | { kind: 'clock'; start_h: number; point: number; then_h: number };

const OPERATORS = ['rollback', 'accept', 'reject', 'backfill'] as const;
/** `accept`: the gates refuse the night and an operator accepts; `reject`: the operator puts the files of the day before back. */
export type Operator = (typeof OPERATORS)[number];

/** A stage that an operator computes again. */
const BACKFILLED = ['address_home', 'parcel_form', 'serve_property', 'serve_property_event'] as const;

export interface Night {
  number: number;
  edits: Edit[];
  damaged: Damaged | null;
  /** Faults of the runs of the night, one after the other; a run without one follows. */
  faults: Fault[];
  operator: Operator | null;
  backfilled: (typeof BACKFILLED)[number];
  /** Concurrent readers. */
  readers: number;
  /** Calls of a customer of the service. */
  calls: number;
  /** Faults of a rebuild from nothing, which is compared with what is served; null: no rebuild. */
  rebuild: Fault[] | null;
}

/** Points of a run of a night, and of a run from nothing. */
const POINTS = { night: 90, rebuild: 190 };

function planFault(random: Random, points: number): Fault {
  const point = 1 + Math.floor(random.next() ** 2 * points);
  const ms = 100 + random.int(500);
  const hours = (): number =>
    random.pick([-1, 1]) * (random.chance(0.5) ? 1 + random.int(23) : 24 * (1 + random.int(9)));
  const kind = random.int(12);
  if (kind < 6) return { kind: 'kill', victim: random.pick(VICTIMS), point };
  if (kind === 6) return { kind: 'freeze', point, ms };
  if (kind === 7) return { kind: 'slow_link', seed: random.int(1_000_000) };
  if (kind === 8) return { kind: 'stalled_link', point, ms };
  if (kind === 9) return { kind: 'cut_link', point };
  return { kind: 'clock', start_h: random.chance(0.5) ? 0 : hours(), point, then_h: hours() };
}

/** Plans nights from a seed alone. The plan of the first nights is the same however many follow. `rebuildEvery`: nights between rebuilds. */
export function planNights(seed: number, nights: number, rebuildEvery: number): Night[] {
  return Array.from({ length: nights }, (_, i) => {
    const number = i + 1;
    const random = seededRandom(seed, `night ${number}`);
    const operator = random.chance(0.35) ? random.pick(OPERATORS) : null;
    // What a faulty run or one that meets a damaged file has published is no longer there to decide on.
    const isDecided = operator === 'accept' || operator === 'reject';
    const damaged = !isDecided && random.chance(0.12) ? random.pick(DAMAGES) : null;
    const isFaulty = !isDecided && damaged === null && random.chance(0.7);
    const faults = Array.from({ length: isFaulty ? 1 + random.int(2) : 0 }, () =>
      planFault(random, POINTS.night),
    );
    // A run with nothing to do has no points at which a fault could strike, and nothing to decide on.
    const fewest = isFaulty || isDecided ? 1 : 0;
    const edits = Array.from({ length: fewest + random.int(2) }, () => random.pick(EDITS));
    const backfilled = random.pick(BACKFILLED);
    const readers = random.int(3);
    const calls = random.chance(0.35) ? 1 + random.int(20) : 0;
    const inRebuild = [planFault(random, POINTS.rebuild)];
    const isRebuilt = number % rebuildEvery === 0 || number === nights;
    return {
      number,
      edits: [...new Set(edits)],
      damaged,
      faults,
      operator,
      backfilled,
      readers,
      calls,
      rebuild: isRebuilt ? (random.chance(0.5) ? inRebuild : []) : null,
    };
  });
}
