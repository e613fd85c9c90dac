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
  let cachedVersion: { at: number; version: Promise<Version> } | null = null;
  return () => {
    if (cachedVersion && performance.now() - cachedVersion.at < VERSION_MS) return cachedVersion.version;
    const version = runRead(async (client) => (await client.query<Version>(VERSION_SQL)).rows[0]!);
    cachedVersion = { at: performance.now(), version };
    version.catch(() => {
      cachedVersion = null;
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

/** States of the map: what a request asks for, its version, and its tables. */
class MapStates {
  readonly #db: Serving;
  readonly #past: PastViews;
  readonly #readVersion: () => Promise<Version>;
  /** Keeps tiles apart from tiles of an earlier program version. */
  readonly #start = randomUUID().slice(0, 8);

  constructor(db: Serving, runRead: ReadRunner, past: PastViews) {
    this.#db = db;
    this.#past = past;
    this.#readVersion = versionReader(runRead);
  }

  /** Reads the served publication, and the state that a query chooses, with the tag of its version. */
  async requested(query: MomentQuery) {
    const { publication: served, load } = await this.#readVersion();
    const moment = momentOf(query, served);
    const tag = `"p${served}-l${load}-${this.#start}${momentText(moment)}"`;
    return { served, moment, tag };
  }

  /** Reads the tables of a state; for a difference, of the later publication. */
  readAt<T>(moment: MapSnapshot | null, work: (db: Serving) => Promise<T>): Promise<T> {
    return moment === null ? work(this.#db) : this.#past.asOf(moment.publication, (view) => work(view.db));
  }
}
type RequestedState = Awaited<ReturnType<MapStates['requested']>>;

/** Sends the headers of a version. True if the client has it: the answer is 304. */
function isCurrent(request: FastifyRequest, reply: FastifyReply, state: RequestedState): boolean {
  reply
    .header('etag', state.tag)
    .header('cache-control', 'private, no-cache')
    .header('x-publication', String(state.moment?.publication ?? state.served));
  return request.headers['if-none-match'] === state.tag;
}

function addTiles(app: FastifyInstance, states: MapStates, tiles: Tiles): void {
  app.get<{ Params: { layer: string; z: string; x: string; y: string }; Querystring: MomentQuery }>(
    '/map/tiles/:layer/:z/:x/:y',
    async (request, reply) => {
      const z = parseWhole(request.params.z, MAX_ZOOM);
      const [x, y] = [request.params.x, request.params.y].map((text) => parseWhole(text, 2 ** (z ?? 0) - 1));
      if (z === null || x == null || y == null) return refused(reply, 404, 'There is no such tile.');
      const state = await states.requested(request.query);
      if (isCurrent(request, reply, state)) return reply.code(304).send();
      const tile = await tiles.tile(state.tag, request.params.layer, { z, x, y }, state.moment);
      if (tile === null)
        return refused(reply, 404, `There is no layer ${request.params.layer} at zoom ${z}.`);
      return reply
        .header('x-shapes', String(tile.shapes))
        .header('x-left-out', String(tile.left_out))
        .type(MVT)
        .send(Buffer.from(tile.bytes.buffer, tile.bytes.byteOffset, tile.bytes.byteLength));
    },
  );
}

function addMeasures(app: FastifyInstance, states: MapStates, suburbs: SuburbMeasures): void {
  app.get<{ Params: { name: string }; Querystring: MomentQuery }>(
    '/map/measures/:name',
    async (request, reply) => {
      const state = await states.requested(request.query);
      if (isCurrent(request, reply, state)) return reply.code(304).send();
      const values = await suburbs.values(request.params.name, state.moment);
      if (values === null) return refused(reply, 404, `There is no measure ${request.params.name}.`);
      return { publication: state.moment?.publication ?? state.served, ...values };
    },
  );
}

/** Adds the details of a clicked place: its parcel and properties. */
function addPlace(app: FastifyInstance, states: MapStates): void {
  app.get<{ Querystring: { lon?: string; lat?: string } & MomentQuery }>(
    '/map/at',
    async (request, reply) => {
      const [lon, lat] = [degrees(request.query.lon), degrees(request.query.lat)];
      if (!inAustralia(lon, lat)) return refused(reply, 422, 'lon and lat are degrees in Australia.');
      const { moment } = await states.requested(request.query);
      return states.readAt(moment, async (tables) => {
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

/**
 * Adds the map, its tiles, measures of suburbs, and details of a clicked place: for the served publication, an earlier one, or a
 * difference.
 */
export function addMap(app: FastifyInstance, db: Serving, runRead: ReadRunner, past: PastViews): void {
  const states = new MapStates(db, runRead, past);
  const suburbs = new SuburbMeasures(db, runRead, past);
  app.get<{ Querystring: MomentQuery }>('/map', async (request, reply) => {
    const { served, moment } = await states.requested(request.query);
    const { publication, since } = moment ?? { publication: served, since: null };
    const layers = since === null ? layersAt(moment) : await layersBetween(past, publication!, since, served);
    return sendConsole(
      reply,
      mapPage({
        publication,
        since,
        choices: await choicesOf(runRead),
        box: await states.readAt(moment, servedBox),
        // Differences may be anywhere.
        opening: since === null ? await states.readAt(moment, busiestPlace) : null,
        layers,
        measures: await suburbs.list(moment),
      }),
    );
  });
  addTiles(app, states, new Tiles(db, runRead, past));
  addMeasures(app, states, suburbs);
  addPlace(app, states);
}
