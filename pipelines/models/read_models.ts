import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import type { z } from 'zod';
import { EtlError } from '../../schema/errors.ts';
import { type Audit, auditHeaderSchema, type Model, modelHeaderSchema } from '../../schema/model.ts';

/** The comment at the start of a file, and what follows it. */
const HEADER = /^\s*\/\*(.*?)\*\/(.*)$/s;

function parsed<T>(schema: z.ZodType<T>, file: string, text: string): { header: T; sql: string } {
  const invalid = (message: string): EtlError => new EtlError('model_invalid', `${file}: ${message}`);
  const [, comment, sql] = HEADER.exec(text) ?? [];
  if (comment === undefined || sql === undefined)
    throw invalid('it must begin with a /* … */ comment that describes it. See docs/models.md.');
  if (sql.trim() === '') throw invalid('there is no query below the header.');
  let tree: unknown;
  try {
    tree = parse(comment);
  } catch (error) {
    throw invalid(`the header is not valid YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  const result = schema.safeParse(tree);
  if (result.success) return { header: result.data, sql: sql.trim().replace(/;\s*$/, '') };
  const lines = result.error.issues.map(({ path, message }) => `${path.join('.') || 'header'}: ${message}`);
  throw invalid(lines.join('; '));
}

/** Reads the SQL files of a folder, sorted by name; none if the folder does not exist. */
async function sqlFiles(folder: string): Promise<{ file: string; text: string }[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new EtlError('model_invalid', `Cannot read ${folder}: ${(error as Error).message}`);
  }
  const files = names.filter((each) => each.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (each) => ({
      file: join(folder, each),
      text: await readFile(join(folder, each), 'utf8'),
    })),
  );
}

/** Orders models so that each follows those that it reads. @throws EtlError model_invalid if models depend on each other in a cycle */
function ordered(models: readonly Model[]): Model[] {
  const remaining = new Map(models.map((model) => [model.table, model]));
  const out: Model[] = [];
  while (remaining.size > 0) {
    const next = [...remaining.values()].find(({ inputs }) => !inputs.some((each) => remaining.has(each)));
    if (next === undefined)
      throw new EtlError(
        'model_invalid',
        `These models read each other: ${[...remaining.values()].map(({ file }) => file).join(', ')}.`,
      );
    remaining.delete(next.table);
    out.push(next);
  }
  return out;
}

/** Reads `models/*.sql` and `audits/*.sql` of a folder. @throws EtlError model_invalid with the file and its fault */
export async function readModels(folder: string): Promise<{ models: Model[]; audits: Audit[] }> {
  const models = (await sqlFiles(join(folder, 'models'))).map(({ file, text }): Model => {
    const { header, sql } = parsed(modelHeaderSchema, file, text);
    const unknown = header.key.find((each) => !(each in header.columns));
    if (unknown !== undefined)
      throw new EtlError('model_invalid', `${file}: the key column ${unknown} is not among its columns.`);
    return { ...header, sql, file };
  });
  const fileOfTable = new Map<string, string>();
  for (const { table, file } of models) {
    const other = fileOfTable.get(table);
    if (other !== undefined)
      throw new EtlError('model_invalid', `${file}: ${other} already makes the table ${table}.`);
    fileOfTable.set(table, file);
  }
  const audits = (await sqlFiles(join(folder, 'audits'))).map(({ file, text }): Audit => {
    const { header, sql } = parsed(auditHeaderSchema, file, text);
    const fileName = basename(file, '.sql');
    if (!/^[a-z][a-z0-9_]*$/.test(fileName))
      throw new EtlError(
        'model_invalid',
        `${file}: name the file in lower case letters, digits and underscores.`,
      );
    return { ...header, name: fileName, sql, file };
  });
  return { models: ordered(models), audits };
}
