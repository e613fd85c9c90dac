import type { FastifyInstance } from 'fastify';
import { find } from '../../contract/answers/ask.ts';
import { suburbSearch } from '../../contract/suburb/suburb_search.ts';
import { readLateSources } from '../../pipelines/views/late_sources.ts';
import type { Config } from '../../schema/config.ts';
import type { Serving } from '../../schema/serving/database.ts';
import type { ReadRunner } from '../map/tiles.ts';
import { sendConsole } from '../page.ts';
import { AREA_PAGES, areaPath, type PageLevel } from './area_path.ts';
import { namesakesPage, suburbPage, unknownAreaPage } from './page.ts';
import { readArea } from './read_area.ts';

/** Maximum length of a name, and of a text to search names by. */
const NAME_MAX = 100;

/** Adds the pages of suburbs, LGAs and SA2s. */
export function addSuburb(app: FastifyInstance, db: Serving, runRead: ReadRunner, config: Config): void {
  const readLate = (state: string | null) => runRead((client) => readLateSources(client, config, state));
  for (const level of Object.keys(AREA_PAGES) as PageLevel[])
    app.get<{ Params: { id: string } }>(`/${AREA_PAGES[level]}/:id`, async (request, reply) => {
      const id = request.params.id.replaceAll('\0', '').trim().slice(0, NAME_MAX);
      const view = id === '' ? null : await readArea(db, level, id, readLate);
      if (view !== null) return sendConsole(reply, suburbPage(view));
      const similar = level === 'SAL' && id !== '' ? (await find(suburbSearch, db, { q: id })).results : [];
      const namesakes = similar.filter(({ match }) => match === 'exact');
      if (namesakes.length === 1) return reply.redirect(areaPath('SAL', namesakes[0]!.suburb_name));
      if (namesakes.length > 1) return sendConsole(reply, namesakesPage(id, namesakes));
      const names = similar.map(({ suburb_name }) => suburb_name);
      return sendConsole(reply.code(404), unknownAreaPage(level, id, names));
    });
}
