import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../cli/load_config.ts';
import { rollback } from '../../pipelines/run/rollback.ts';
import type { Service } from '../../service/server.ts';
import { acceptSample, OPEN_GATES, refreshSample } from '../pipelines/sample_run.ts';
import { HANG_MS } from '../waiting.ts';
import { type Scene, setScene } from './scene.ts';

/** READERS_PUBLICATIONS=20 READERS_ROLLBACKS=2 npx vitest run test/service/readers.test.ts */
const PUBLICATIONS = Number(process.env.READERS_PUBLICATIONS ?? 3);
const ROLLBACKS = Number(process.env.READERS_ROLLBACKS ?? 1);
const READERS = 6;

describe('readers while there are publications and rollbacks', () => {
  let scene: Scene;
  let service: Service;

  beforeAll(async () => {
    scene = await setScene();
    service = await scene.start(['service.rate_per_s=100000', 'service.rate_burst=100000']);
  });
  afterAll(() => scene?.close());

  it(
    'see no error, and each answer is all of the publication that it names',
    async () => {
      const { key, account_id } = await scene.funded('reader', 1_000_000_000);
      const headers = { authorization: `Bearer ${key}` };
      const most = await scene.database.query<{ gnaf_pid: string }>(
        'SELECT gnaf_pid FROM serving.property_neighbour GROUP BY gnaf_pid ORDER BY count(*) DESC, gnaf_pid LIMIT 3',
      );
      const paths = most.flatMap(({ gnaf_pid }) => [
        `/v1/properties/${gnaf_pid}/neighbours?`,
        `/api/property/neighbours?id=${gnaf_pid}&`,
      ]);
      /** What was answered, by path and publication. */
      const seen = new Map<string, Set<string>>();
      const errors: string[] = [];
      let isOver = false;
      let calls = 0;
      const readers = Array.from({ length: READERS }, async (_, reader) => {
        for (let i = reader; !isOver && errors.length === 0; i++) {
          const path = paths[i % paths.length]!;
          // One of the readers asks for what it may have already, which is answered in another way.
          const etag: Record<string, string> = reader === 0 ? { 'if-none-match': '"none"' } : {};
          const response = await fetch(service.base_url + path, { headers: { ...headers, ...etag } });
          const text = await response.text();
          calls++;
          if (response.status !== 200) errors.push(`${response.status} ${text}`);
          const of = `${path} ${response.headers.get('x-publication')}`;
          seen.set(of, (seen.get(of) ?? new Set()).add(text));
        }
      });

      const { config } = await loadConfig({ config: `${scene.dir}/config.yaml` }, {});
      // After a rollback nothing is published until somebody accepts it.
      let [published, rolledBack] = [0, 0];
      try {
        for (let i = 0; published < PUBLICATIONS && i < 3 * PUBLICATIONS; i++) {
          const shared = i % 2 === 0 ? 50 - i / 10 : 1 + i / 100;
          const set = [...OPEN_GATES, `neighbours.min_shared_m=${shared}`];
          const refreshed = await refreshSample(scene.database, scene.dir, set);
          const { state } =
            refreshed.state === 'refused'
              ? await acceptSample(scene.database, scene.dir, ['rollback'], set)
              : refreshed;
          if (state === 'published') published++;
          if (published < ((rolledBack + 1) * PUBLICATIONS) / (ROLLBACKS + 1) || rolledBack === ROLLBACKS)
            continue;
          const back = await rollback({ url: scene.database.url, config, to: null, reason: 'test' });
          expect(back.state).toBe('published');
          rolledBack++;
        }
      } finally {
        isOver = true;
      }
      await Promise.all(readers);
      expect([published, rolledBack]).toEqual([PUBLICATIONS, ROLLBACKS]);
      expect(errors.slice(0, 5)).toEqual([]);

      const mixed: string[] = [];
      for (const [of, texts] of seen) {
        const [path, publication] = of.split(' ') as [string, string];
        const response = await fetch(`${service.base_url}${path}as_of=${publication}`, { headers });
        const then = await response.text();
        expect(response.status, then).toBe(200);
        if (texts.size !== 1 || !texts.has(then)) mixed.push(of);
      }
      expect(mixed).toEqual([]);
      // The publications were seen, and they differ in what was read.
      const publications = new Set([...seen.keys()].map((of) => of.split(' ')[1]));
      expect(publications.size).toBeGreaterThan((PUBLICATIONS + ROLLBACKS) / 2);
      const different = new Set(
        [...seen].filter(([of]) => of.startsWith(paths[0]!)).flatMap(([, texts]) => [...texts]),
      );
      expect(different.size).toBeGreaterThan(1);
      expect((await scene.wallet(account_id)).adds_up).toBe(true);
      process.stdout.write(`${calls} answers of ${publications.size} publications\n`);
    },
    HANG_MS + PUBLICATIONS * 60_000,
  );
});
