import { resolve } from 'node:path';
import { closest } from 'fastest-levenshtein';
import { EXPORT_FORMATS, type ExportFormat, exportTables } from '../../pipelines/export/export.ts';
import type { ExportManifest } from '../../pipelines/export/export_manifest.ts';
import { writeModels } from '../../pipelines/export/models.ts';
import { writeEvidence } from '../../pipelines/export/write_evidence.ts';
import { EtlError } from '../../schema/errors.ts';
import { servedTables } from '../../store/read/served_tables.ts';
import { loadConfig } from '../load_config.ts';
import { printLine } from '../print.ts';
import { progressFor } from '../progress.ts';
import { columns } from '../render.ts';
import { stopSignal } from '../stop_signal.ts';
import { tablesFlag } from '../tables_flag.ts';
import { wholeFlag } from '../whole_flag.ts';
import { type InspectFlags, withConfiguredClient } from './inspect.ts';

interface ExportFlags extends InspectFlags {
  publication?: string;
  candidate?: boolean;
  since?: string;
  tables?: string;
  format: string;
  partition?: string;
  out?: string;
  evidence?: string;
  models?: string;
  signKey?: string;
  rawTexts?: boolean;
}

function formatOf(text: string): ExportFormat {
  const namedFormat = EXPORT_FORMATS.find((format) => format === text.toLowerCase());
  if (namedFormat !== undefined) return namedFormat;
  throw new EtlError(
    'config_invalid',
    `--format ${text}: there are ${EXPORT_FORMATS.join(', ')}. Did you mean ${closest(text.toLowerCase(), EXPORT_FORMATS)}?`,
  );
}

const n = (count: number): string => count.toLocaleString('en-AU');

function rendered({ publication, published_at, files, signed_by }: ExportManifest, out: string): string {
  const lines = files.map(({ file, rows, bytes }) => [
    file,
    `${n(rows)} rows`,
    `${n(Math.ceil(bytes / 1024))} KiB`,
  ]);
  const signed = signed_by === null ? 'not signed' : `signed by ${signed_by.slice(0, 16)}…`;
  return `publication ${publication} of ${published_at} in ${out}, ${signed}\n${columns(lines)}`;
}

/** Writes the training sales of the models to a file. */
async function exportEvidence(flags: ExportFlags, path: string): Promise<void> {
  const { config } = await loadConfig(flags);
  const { file, rows } = await withConfiguredClient(config, (client) => writeEvidence(client, path));
  printLine(
    flags.json
      ? JSON.stringify({ file, rows })
      : `${file}: ${n(rows)} sales and rents, for refresh --evidence`,
  );
}

/** Writes the trained models to files. */
async function exportModels(flags: ExportFlags, folder: string): Promise<void> {
  const { config } = await loadConfig(flags);
  const files = await withConfiguredClient(config, (client) => writeModels(client, folder));
  printLine(flags.json ? JSON.stringify({ files }) : files.join('\n'));
}

/** Writes published tables to a folder, the training sales of the models to a file, or the models to files. */
export async function exportCommand(flags: ExportFlags): Promise<void> {
  const { out, evidence, models } = flags;
  if (out === undefined && evidence === undefined && models === undefined)
    throw new EtlError('config_invalid', 'Give a folder with --out or --models, or a file with --evidence.');
  if (evidence !== undefined) await exportEvidence(flags, evidence);
  if (models !== undefined) await exportModels(flags, models);
  if (out !== undefined) await exportPublished(flags, out);
}

async function exportPublished(flags: ExportFlags, out: string): Promise<void> {
  const format = formatOf(flags.format);
  if (out.trim() === '')
    throw new EtlError('config_invalid', '--out is empty: give a folder or s3://bucket/prefix.');
  const publication =
    flags.publication === undefined ? null : wholeFlag('--publication', flags.publication, 1);
  const since = flags.since === undefined ? null : wholeFlag('--since', flags.since, 1);
  const { config, base } = await loadConfig(flags);
  const configured = config.export.sign_key;
  const signKey = flags.signKey ?? (configured === null ? null : resolve(base, configured));
  const manifest = await withConfiguredClient(config, async (client) =>
    exportTables(client, {
      all: await servedTables(client, config),
      publication,
      candidate: flags.candidate ?? false,
      since,
      tables: tablesFlag(flags).tables ?? null,
      format,
      partition: [...new Set(flags.partition?.split(',').map((name) => name.trim()))],
      out,
      stopped: stopSignal,
      signKey,
      rawTexts: flags.rawTexts ?? false,
      progress: progressFor(flags.json ?? false),
    }),
  );
  printLine(
    flags.json
      ? JSON.stringify({ out: out.startsWith('s3:') ? out : resolve(out), ...manifest })
      : rendered(manifest, out),
  );
}
