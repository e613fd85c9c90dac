import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  busiestPlace,
  describeProperties,
  parcelAt,
  propertiesOn,
  servedBox,
} from '../../contract/map/found_at.ts';
import { inAustralia } from '../../schema/grid.ts';
import type { Serving } from '../../schema/serving/database.ts';
import { listPublications } from '../../store/journal/journal.ts';
import { sendConsole } from '../page.ts';
import { layersAt, layersBetween } from './drawn_layers.ts';
import { type MomentQuery, momentOf, momentText } from './moment.ts';
import { mapPage, type PublicationOption } from './page.ts';
import type { MapSnapshot, PastViews } from './past_views.ts';
import { SuburbMeasures } from './suburb_measures.ts';
import { type ReadRunner, Tiles } from './tiles.ts';

/** Time for which a version is cached, milliseconds. */
const VERSION_MS = 1000;
const MAX_ZOOM = 22;
const MVT = 'application/vnd.mapbox-vector-tile';

const VERSION_SQL = `SELECT (SELECT max(publication_id) FROM control.publication) AS publication,
  (SELECT max(load_id) FROM control.load WHERE state = 'active') AS load`;

/** Version of the published and loaded data; part of the URL of tiles. */
interface Version {
  publication: number | null;
  load: number | null;
}

function versionReader(runRead: ReadRunner): () => Promise<Version> {
  let cached: { at: number; version: Promise<Version> } | null = null;
  return () => {
    if (cached && performance.now() - cached.at < VERSION_MS) return cached.version;
    const version = runRead(async (client) => (await client.query<Version>(VERSION_SQL)).rows[0]!);
    cached = { at: performance.now(), version };
    version.catch(() => {
      cached = null;
    });
    return version;
  };
}

const parseWhole = (text: string | undefined, most: number): number | null =>
  text !== undefined && /^[0-9]{1,8}$/.test(text) && Number(text) <= most ? Number(text) : null;

const degrees = (text: string | undefined): number =>
  text !== undefined && /^-?[0-9]{1,3}(\.[0-9]{1,20})?$/.test(text) ? Number(text) : Number.NaN;

const refused = (reply: FastifyReply, status: 404 | 422, message: string): FastifyReply =>
  reply.code(status).send({ error: status === 404 ? 'not_found' : 'bad_request', message });

/** Maximum publications to choose from, newest first. */
const CHOICES = 200;

async function choicesOf(runRead: ReadRunner): Promise<PublicationOption[]> {
  const publications = await runRead((client) => listPublications(client, CHOICES));
  return publications
    .filter(({ readable }) => readable)
    .map(({ publication_id, published_at }) => ({ publication_id, published_at }));
}

/**
 * Adds the map, its tiles, measures of suburbs, and details of a clicked place: for the served publication, an earlier one, or a
 * difference.
 */
export function addMap(app: FastifyInstance, db: Serving, runRead: ReadRunner, past: PastViews): void {
  const tiles = new Tiles(db, runRead, past);
  const suburbs = new SuburbMeasures(db, runRead, past);
  const version = versionReader(runRead);
  // Keeps tiles apart from tiles of an earlier program version.
  const start = randomUUID().slice(0, 8);
  const tagOf = ({ publication, load }: Version, moment: MapSnapshot | null): string =>
    `"p${publication}-l${load}-${start}${momentText(moment)}"`;
  /** Answers 304 if the client has the current version. */
  const isCurrent = (
    request: FastifyRequest,
    reply: FastifyReply,
    now: Version,
    moment: MapSnapshot | null,
  ): boolean => {
    const tag = tagOf(now, moment);
    reply
      .header('etag', tag)
      .header('cache-control', 'private, no-cache')
      .header('x-publication', String(moment?.publication ?? now.publication));
    return request.headers['if-none-match'] === tag;
  };
  /** Reads the tables of a state; for a difference, of the later publication. */
  const readAt = <T>(moment: MapSnapshot | null, work: (db: Serving) => Promise<T>): Promise<T> =>
    moment === null ? work(db) : past.asOf(moment.publication, (view) => work(view.db));

  app.get<{ Querystring: MomentQuery }>('/map', async (request, reply) => {
    const now = await version();
    const moment = momentOf(request.query, now.publication);
    const { publication, since } = moment ?? { publication: now.publication, since: null };
    const layers =
      since === null ? layersAt(moment) : await layersBetween(past, publication!, since, now.publication);
    return sendConsole(
      reply,
      mapPage({
        publication,
        since,
        choices: await choicesOf(runRead),
        box: await readAt(moment, servedBox),
        // Differences may be anywhere.
        opening: since === null ? await readAt(moment, busiestPlace) : null,
        layers,
        measures: await suburbs.list(moment),
      }),
    );
  });

  app.get<{ Params: { layer: string; z: string; x: string; y: string }; Querystring: MomentQuery }>(
    '/map/tiles/:layer/:z/:x/:y',
    async (request, reply) => {
      const z = parseWhole(request.params.z, MAX_ZOOM);
      const [x, y] = [request.params.x, request.params.y].map((text) => parseWhole(text, 2 ** (z ?? 0) - 1));
      if (z === null || x == null || y == null) return refused(reply, 404, 'There is no such tile.');
      const now = await version();
      const moment = momentOf(request.query, now.publication);
      if (isCurrent(request, reply, now, moment)) return reply.code(304).send();
      const tile = await tiles.tile(tagOf(now, moment), request.params.layer, { z, x, y }, moment);
      if (tile === null)
        return refused(reply, 404, `There is no layer ${request.params.layer} at zoom ${z}.`);
      return reply
        .header('x-shapes', String(tile.shapes))
        .header('x-left-out', String(tile.left_out))
        .type(MVT)
        .send(Buffer.from(tile.bytes.buffer, tile.bytes.byteOffset, tile.bytes.byteLength));
    },
  );

  app.get<{ Params: { name: string }; Querystring: MomentQuery }>(
    '/map/measures/:name',
    async (request, reply) => {
      const now = await version();
      const moment = momentOf(request.query, now.publication);
      if (isCurrent(request, reply, now, moment)) return reply.code(304).send();
      const values = await suburbs.values(request.params.name, moment);
      if (values === null) return refused(reply, 404, `There is no measure ${request.params.name}.`);
      return { publication: moment?.publication ?? now.publication, ...values };
    },
  );

  app.get<{ Querystring: { lon?: string; lat?: string } & MomentQuery }>(
    '/map/at',
    async (request, reply) => {
      const [lon, lat] = [degrees(request.query.lon), degrees(request.query.lat)];
      if (!inAustralia(lon, lat)) return refused(reply, 422, 'lon and lat are degrees in Australia.');
      const moment = momentOf(request.query, (await version()).publication);
      return readAt(moment, async (tables) => {
        const parcel_id = await parcelAt(tables, lon, lat);
        if (parcel_id === null) return { parcel_id, properties: [], count: 0 };
        const properties = await propertiesOn(tables, parcel_id);
        return {
          parcel_id,
          ...(moment === null ? await describeProperties(tables, properties) : properties),
        };
      });
    },
  );
}
