import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parcelAt, propertiesOn, servedBox } from '../../contract/map/found_at.ts';
import { measures, measureValues } from '../../contract/map/measures.ts';
import { inAustralia } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { sendConsole } from '../page.ts';
import { LAYERS } from './layers.ts';
import { mapPage } from './page.ts';
import { type Read, Tiles } from './tiles.ts';
import { ValuationMeasures } from './valuation_measure.ts';

/** For so long a version of what is published is taken for the last one. */
const VERSION_MS = 1000;
const MAX_ZOOM = 22;
const MVT = 'application/vnd.mapbox-vector-tile';

const VERSION_SQL = `SELECT (SELECT max(publication_id) FROM control.publication) AS publication,
  (SELECT max(load_id) FROM control.load WHERE state = 'active') AS load`;

/** What is published and loaded: tiles of another version are other tiles. */
interface Version {
  publication: number | null;
  load: number | null;
}

function versionReader(read: Read): () => Promise<Version> {
  let known: { at: number; version: Promise<Version> } | null = null;
  return () => {
    if (known && performance.now() - known.at < VERSION_MS) return known.version;
    const version = read(async (client) => (await client.query<Version>(VERSION_SQL)).rows[0]!);
    known = { at: performance.now(), version };
    version.catch(() => {
      known = null;
    });
    return version;
  };
}

const whole = (text: string | undefined, most: number): number | null =>
  text !== undefined && /^[0-9]{1,8}$/.test(text) && Number(text) <= most ? Number(text) : null;

const degrees = (text: string | undefined): number =>
  text !== undefined && /^-?[0-9]{1,3}(\.[0-9]{1,20})?$/.test(text) ? Number(text) : Number.NaN;

const refused = (reply: FastifyReply, status: 404 | 422, message: string): FastifyReply =>
  reply.code(status).send({ error: status === 404 ? 'not_found' : 'bad_request', message });

/** The map, its tiles, what suburbs are coloured by, and what lies where one clicks. */
export function addMap(app: FastifyInstance, db: Serving, read: Read): void {
  const tiles = new Tiles(db, read);
  const valuation = new ValuationMeasures(read);
  const version = versionReader(read);
  // Tiles of a program before this one may have been made otherwise.
  const start = randomUUID().slice(0, 8);
  const tagOf = ({ publication, load }: Version): string => `"p${publication}-l${load}-${start}"`;
  /** Whether who asks has what is current; says so then. */
  const isCurrent = (request: FastifyRequest, reply: FastifyReply, now: Version): boolean => {
    reply
      .header('etag', tagOf(now))
      .header('cache-control', 'private, no-cache')
      .header('x-publication', String(now.publication));
    return request.headers['if-none-match'] === tagOf(now);
  };

  app.get('/map', async (_request, reply) => {
    const [now, box] = [await version(), await servedBox(db)];
    const named = [...(await measures(db)), ...(await valuation.list())];
    return sendConsole(
      reply,
      mapPage({ publication: now.publication, box, layers: LAYERS, measures: named }),
    );
  });

  app.get<{ Params: { layer: string; z: string; x: string; y: string } }>(
    '/map/tiles/:layer/:z/:x/:y',
    async (request, reply) => {
      const z = whole(request.params.z, MAX_ZOOM);
      const [x, y] = [request.params.x, request.params.y].map((text) => whole(text, 2 ** (z ?? 0) - 1));
      if (z === null || x == null || y == null) return refused(reply, 404, 'There is no such tile.');
      const now = await version();
      if (isCurrent(request, reply, now)) return reply.code(304).send();
      const tile = await tiles.tile(tagOf(now), request.params.layer, { z, x, y });
      if (tile === null)
        return refused(reply, 404, `There is no layer ${request.params.layer} at zoom ${z}.`);
      return reply
        .header('x-shapes', String(tile.shapes))
        .header('x-left-out', String(tile.left_out))
        .type(MVT)
        .send(Buffer.from(tile.bytes.buffer, tile.bytes.byteOffset, tile.bytes.byteLength));
    },
  );

  app.get<{ Params: { name: string } }>('/map/measures/:name', async (request, reply) => {
    const now = await version();
    if (isCurrent(request, reply, now)) return reply.code(304).send();
    const explained = await valuation.values(request.params.name, tagOf(now));
    if (explained !== null) return { publication: now.publication, ...explained };
    const values = await measureValues(db, request.params.name);
    if (values === null) return refused(reply, 404, `There is no measure ${request.params.name}.`);
    return { publication: now.publication, values };
  });

  app.get<{ Querystring: { lon?: string; lat?: string } }>('/map/at', async (request, reply) => {
    const [lon, lat] = [degrees(request.query.lon), degrees(request.query.lat)];
    if (!inAustralia(lon, lat)) return refused(reply, 422, 'lon and lat are degrees in Australia.');
    const parcel_id = await parcelAt(db, lon, lat);
    if (parcel_id !== null) return { parcel_id, ...(await propertiesOn(db, parcel_id)) };
    return { parcel_id: null, properties: [], count: 0 };
  });
}
