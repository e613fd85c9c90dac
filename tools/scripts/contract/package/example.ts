// TypeScript: endpoints by name, with the types of their payloads; and a query of one's own on the typed tables.
// Usage: node example.js <database url> <gnaf_pid>
import { ask, connect, type Envelope, profile, zoningCode } from 'property-data-contract';

const [url = '', property = ''] = process.argv.slice(2);

/** The data of an answer, or the typed reason why there is none. */
const dataOf = <T>(answer: Envelope<T>): T | string => ('no_data' in answer ? answer.no_data : answer.data);

const db = connect(url, { connections: 1 });
try {
  const place = dataOf(await ask(profile, db, property));
  const zone = dataOf(await ask(zoningCode, db, property));
  const sa2: string | null = typeof place === 'string' ? place : place.sa2;
  const properties: { gnaf_pid: string; land_area_sqm: number | null }[] = await db
    .selectFrom('serving.property')
    .select(['gnaf_pid', 'land_area_sqm'])
    .orderBy('gnaf_pid')
    .limit(3)
    .execute();
  console.log(JSON.stringify({ sa2, zone: typeof zone === 'string' ? zone : zone.code, properties }));
} finally {
  await db.destroy();
}
