import pLimit from 'p-limit';
import type pg from 'pg';
import type { Serving } from '../../schema/serving/database.ts';
import { SERVING_TABLES } from '../../schema/serving/index.ts';
import type { Table } from '../../schema/table.ts';
import { openPool } from '../../store/database.ts';
import { withAsOf } from '../../store/journal/as_of.ts';
import { type Became, CHANGE_KINDS, prefixOf, withBetween } from '../../store/journal/between.ts';
import { CANDIDATE_SCHEMA, heldCandidate, withCandidate } from '../../store/journal/candidate.ts';
import { servingAsOf, servingIn } from '../../store/read/serving.ts';

/** An earlier state on the map: a publication, or the difference of two. */
export interface MapSnapshot {
  publication: number;
  since: number | null;
}

/** Tables of the map at an earlier publication. */
export interface AsOf {
  db: Serving;
}

/** Differences between two publications: a view of the tables for added, removed and changed rows. */
export interface Between {
  of: Readonly<Record<Became, Serving>>;
  /** Tables that got their first rows in between: all rows are new, and the views do not list them. */
  firsts: readonly string[];
}

const READ = new Set([
  'property',
  'parcel_shape',
  'hazard',
  'place',
  'school',
  'stop',
  'region_shape',
  'suburb',
  'region_market',
  'region_risk',
  'field_coverage',
  'valuation_accuracy',
]);
const isRead = ({ name }: Table): boolean => READ.has(name);
/** Tables whose rows are drawn. */
const DRAWN: readonly Table[] = SERVING_TABLES.filter(
  (table: Table) => isRead(table) && ('lon' in table.columns || 'geom' in table.columns),
);

/** Connections for earlier states: two publications and their difference. */
const CONNECTIONS = 3;
/** Time that a view stays open after a read, milliseconds: listing the changes is most of the work. */
const IDLE_MS = 10_000;
/** Maximum time that a view stays open, milliseconds: its transaction prevents the vacuum of deleted rows. */
const LONGEST_MS = 60_000;

/** A view of an earlier state that stays open for a while. Its reads run one after the other. */
class OpenView<View> {
  readonly #turn = pLimit(1);
  readonly #began = performance.now();
  readonly #view: Promise<View>;
  #release: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #pendingReads = 0;
  isOver = false;
  /** Resolves when its connection is free. */
  readonly ended: Promise<void>;

  /** `open` passes a view to its callback and drops the view when the callback ends. */
  constructor(open: (use: (view: View) => Promise<void>) => Promise<void>) {
    const released = new Promise<void>((resolve) => {
      this.#release = resolve;
    });
    let resolveView: (view: View) => void;
    let rejectView: (reason: unknown) => void;
    this.#view = new Promise((resolve, reject) => {
      [resolveView, rejectView] = [resolve, reject];
    });
    this.ended = open(async (view) => {
      resolveView(view);
      await released;
    })
      .catch((error) => rejectView(error))
      .finally(() => {
        this.isOver = true;
      });
  }

  get isIdle(): boolean {
    return this.#pendingReads === 0;
  }

  async read<T>(work: (view: View) => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#pendingReads++;
    try {
      return await this.#turn(async () => work(await this.#view));
    } catch (error) {
      // After a failed statement the transaction answers nothing more.
      this.isOver = true;
      throw error;
    } finally {
      this.#pendingReads--;
      const isOld = performance.now() - this.#began > LONGEST_MS;
      if (isOld) this.isOver = true;
      if (this.#pendingReads === 0) {
        if (this.isOver) this.end();
        else this.#timer = setTimeout(() => this.end(), IDLE_MS).unref();
      }
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.isOver = true;
    this.#release();
  }
}

/** Reads earlier publications from the journal: the same queries run on views of the earlier state. */
export class PastViews {
  readonly #pool: pg.Pool;
  readonly #asOf = new Map<string, OpenView<AsOf>>();
  readonly #between = new Map<string, OpenView<Between>>();

  constructor(url: string, settings: readonly string[], answer_s: number) {
    // If the console is paused, the server ends the transaction after this time.
    const idle = `idle_in_transaction_session_timeout=${LONGEST_MS}`;
    this.#pool = openPool(url, CONNECTIONS, { settings: [...settings, idle], answer_s });
  }

  async #with(work: (client: pg.ClientBase) => Promise<void>): Promise<void> {
    this.#makeRoom();
    const client = await this.#pool.connect();
    try {
      await work(client);
    } finally {
      client.release();
    }
  }

  /** Without a free connection, closes the first idle view. */
  #makeRoom(): void {
    const all = [...this.#asOf.values(), ...this.#between.values()].filter(({ isOver }) => !isOver);
    if (all.length >= CONNECTIONS) all.find(({ isIdle }) => isIdle)?.end();
  }

  /**
   * Reads the tables as they were at a publication, or as the held candidate has them if it would get that number.
   * @throws EtlError unknown_publication, journal_pruned
   */
  asOf<T>(publication: number, work: (view: AsOf) => Promise<T>): Promise<T> {
    return openViewOf(this.#asOf, String(publication), (use) =>
      this.#with(async (client) => {
        const candidate = await heldCandidate(client);
        if (candidate?.publication_id === publication)
          await withCandidate(client, () => use({ db: servingIn(client, CANDIDATE_SCHEMA) }));
        else
          await withAsOf(client, SERVING_TABLES.filter(isRead), publication, () =>
            use({ db: servingAsOf(client) }),
          );
      }),
    ).read(work);
  }

  /** Reads what differs between two publications, the earlier first. @throws EtlError unknown_publication, journal_pruned */
  between<T>(after: number, upTo: number, work: (view: Between) => Promise<T>): Promise<T> {
    return openViewOf(this.#between, `${after}-${upTo}`, (use) =>
      this.#with((client) =>
        withBetween(client, DRAWN, { after, upTo }, (firsts) => {
          const views = CHANGE_KINDS.map((became) => [became, servingAsOf(client, prefixOf(became))]);
          return use({ of: Object.fromEntries(views) as Between['of'], firsts });
        }),
      ),
    ).read(work);
  }

  async close(): Promise<void> {
    const all = [...this.#asOf.values(), ...this.#between.values()];
    for (const each of all) each.end();
    await Promise.all(all.map(({ ended }) => ended));
    await this.#pool.end();
  }
}

function openViewOf<View>(
  all: Map<string, OpenView<View>>,
  key: string,
  open: (use: (view: View) => Promise<void>) => Promise<void>,
): OpenView<View> {
  const current = all.get(key);
  if (current && !current.isOver) return current;
  const opened = new OpenView(open);
  all.set(key, opened);
  void opened.ended.then(() => {
    if (all.get(key) === opened) all.delete(key);
  });
  return opened;
}
