import { existsSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { headlineCounts } from '../../pipelines/views/headline.ts';
import { typed } from '../../schema/command_line.ts';
import { EtlError } from '../../schema/errors.ts';
import { replaceFolder } from '../../store/system/output_path.ts';
import { sampleTitle, writeSampleConfig } from '../../tools/sample/config.ts';
import { generateSampleCountry } from '../../tools/sample/generate.ts';
import { EXIT } from '../exit.ts';
import {
  type ConfigFlags,
  demoConfig,
  demoFolder,
  findConfig,
  type LoadedConfig,
  loadConfig,
} from '../load_config.ts';
import { n } from '../plural.ts';
import { printLine } from '../print.ts';
import { progressFor } from '../progress.ts';
import { wholeFlag } from '../whole_flag.ts';
import { getPayloads } from './get.ts';
import { withConfiguredClient } from './inspect.ts';
import { runRefresh } from './refresh.ts';

interface SampleFlags {
  out: string;
  properties: string;
  seed: string;
  json?: boolean;
}

/** Writes the sample country into `out`. Replaces only an earlier sample. */
async function generate(flags: SampleFlags): Promise<void> {
  const properties = wholeFlag('--properties', flags.properties, 100);
  const seed = wholeFlag('--seed', flags.seed, 0);
  if (flags.out.trim() === '') throw new EtlError('config_invalid', '--out is empty: give a folder.');
  await replaceFolder(flags.out, async (out) => {
    const bar = progressFor(flags.json ?? false).start('generate sample country', properties);
    let done = 0;
    await generateSampleCountry({
      properties,
      seed,
      out,
      onProgress: (n) => {
        bar.done(Math.max(0, n - done));
        done = n;
      },
    });
    bar.end();
    await writeSampleConfig(out, { properties, seed });
    // Adds a model and two audits as examples of an operator's own.
    for (const folder of ['models', 'audits'])
      await cp(new URL(`../../tools/sample/${folder}`, import.meta.url), join(out, folder), {
        recursive: true,
      });
  });
}

export async function sampleCommand(flags: SampleFlags): Promise<void> {
  await generate(flags);
  const text = `Wrote the sample country to ${flags.out}. Next: ${typed(`refresh --config ${join(flags.out, 'config.yaml')}`)}`;
  printLine(flags.json ? JSON.stringify({ out: resolve(flags.out) }) : text);
}

/** True if `dir` has a complete sample country of this size and seed. */
async function isThere(dir: string, flags: SampleFlags): Promise<boolean> {
  const config = demoConfig(dir);
  if (!existsSync(config)) return false;
  return (await readFile(config, 'utf8')).startsWith(
    sampleTitle({ properties: Number(flags.properties), seed: Number(flags.seed) }),
  );
}

export async function demoCommand(flags: Omit<SampleFlags, 'out'> & ConfigFlags): Promise<void> {
  const out = demoFolder(flags);
  const sample = { ...flags, out };
  if (!(await isThere(out, sample))) await generate(sample);
  const file = demoConfig(out);
  const loaded = await loadConfig({ ...flags, config: file });
  await runRefresh(loaded, flags, 'demo');
  if (process.exitCode !== EXIT.ok || flags.json) return;
  await show(loaded, file, flags);
}

/** A property of every sample country. */
const EXAMPLE = 'GAVIC900000001';
const EXAMPLE_ADDRESS = '2 Windsor St Springfield';

/** Maximum values of an answer in the demo's last lines. */
const SHOWN_VALUES = 4;

/** Returns the first values of a payload that are texts, numbers or flags, on one line. */
const valuesText = (payload: unknown): string =>
  Object.entries((payload ?? {}) as Record<string, unknown>)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, SHOWN_VALUES)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ') || 'no data';

/** Ends the demo with what was built, a few values of a property, and the two commands to type next. */
async function show(loaded: LoadedConfig, file: string, flags: ConfigFlags): Promise<void> {
  const { config } = loaded;
  const counts = await withConfiguredClient(config, headlineCounts);
  const built = counts.map(({ name, count }) => `${n(count)} ${name}`).join(', ');
  const payloads = await getPayloads(
    loaded,
    ['basics/land-area-sqm', 'development/zoning-code', 'valuation/avm'],
    EXAMPLE,
  );
  const folder = flags.dataDir === undefined ? '' : ` --data-dir ${flags.dataDir}`;
  const isFound = findConfig({ ...flags, config: undefined }) === file;
  const where = `${folder}${isFound ? '' : ` --config ${relative(process.cwd(), file)}`}`;
  const { host, port } = config.ops;
  printLine(
    [
      `\nBuilt: ${built} of a fictional country. One of them:`,
      `${EXAMPLE_ADDRESS}, ${EXAMPLE}`,
      ...Object.entries(payloads).map(([path, payload]) => `  ${path}: ${valuesText(payload.data)}`),
      'Next:',
      `  ${typed(`ops${where}`)}   # the console, at ${port === 0 ? 'an address that it prints' : `http://${host}:${port}`}`,
      `  ${typed(`serve${where}`)}   # the API; its guide answers every example with a free key`,
    ].join('\n'),
  );
}
