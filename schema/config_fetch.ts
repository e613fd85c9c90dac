import { z } from 'zod';

/** Value of `path` for the files of the last `pipeline fetch`. */
export const FETCHED = 'fetched';

/** Release cycles of publishers. */
export const CADENCES = [
  'daily',
  'weekly',
  'monthly',
  'quarterly',
  'yearly',
  'five_yearly',
  'irregular',
] as const;
export type FetchCadence = (typeof CADENCES)[number];

const web = z.string().regex(/^https?:\/\/\S+$/i, 'is written https://host/path');
const digest = z.string().regex(/^[0-9a-f]{64}$/i, 'is 64 hexadecimal digits');
const pattern = z.string().min(1).refine(isPattern, 'is not a regular expression');

/** Returns whether a text is a regular expression. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text) !== null;
  } catch {
    return false;
  }
}

/** Notation of an environment variable in a value. */
const VARIABLE = '$' + '{NAME}';

/** Names of headers and URL parameters whose values must never be in a configuration. */
const SECRET = /authorization|cookie|token|secret|password|api[-_]?key|(^|[-_])key(id)?$/i;
const fromEnvironment = (value: string): boolean => /\$\{\w+\}/.test(value);

/** Returns the name of the first header or URL parameter with an unencrypted secret. Null: none. */
function secretInClear(urls: readonly string[], headers: Readonly<Record<string, string>>): string | null {
  for (const [name, value] of Object.entries(headers))
    if (SECRET.test(name) && !fromEnvironment(value)) return name;
  for (const url of urls) {
    if (/^https?:\/\/[^/?#]*@/i.test(url)) return 'user and password of the URL';
    const query = url.split('?')[1] ?? '';
    for (const [name, value] of new URLSearchParams(query))
      if (SECRET.test(name) && !fromEnvironment(value)) return name;
  }
  return null;
}

const ckanSchema = z.strictObject({
  portal: web.describe('Address of the CKAN portal, without /api.'),
  package: z.string().min(1).describe('Id or name of the package.'),
  resource: z
    .union([pattern, z.array(pattern).min(1)])
    .describe(
      'Regular expression of the name, file name or URL of the resource; several give one file each. The newest match is used.',
    ),
  verify: z
    .boolean()
    .default(true)
    .describe('Whether to refuse a file if its size or hash differs from the one that the portal states.'),
});

/** Download locations of a dataset's releases. */
export const fetchSchema = z
  .strictObject({
    url: z
      .union([web, z.array(web).min(1)])
      .nullable()
      .default(null)
      .describe(`URL of the file, or of each file of a release; ${VARIABLE} takes an environment variable.`),
    ckan: ckanSchema.optional().describe('Package of a CKAN portal, if URLs change with each release.'),
    sha256: z
      .union([digest, z.array(digest).min(1)])
      .nullable()
      .default(null)
      .describe('SHA-256 of the file, or of each file in the order of url or resource.'),
    file_name: z
      .string()
      .regex(/^[\w][\w .()+-]*$/, 'is a file name without folder')
      .nullable()
      .default(null)
      .describe('Stored name of a single file; null: the name that the publisher uses.'),
    user_agent: z
      .string()
      .nullable()
      .default(null)
      .describe('The same as downloads.user_agent, for this dataset.'),
    headers: z
      .record(z.string().regex(/^[\w-]+$/, 'is the name of a header'), z.string())
      .default({})
      .describe(
        `Further request headers; ${VARIABLE} takes an environment variable, which is required for secrets.`,
      ),
    max_mb: z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe('The same as downloads.max_mb, for this dataset.'),
    cadence: z
      .enum(CADENCES)
      .nullable()
      .default(null)
      .describe('Release cycle of the publisher; fetch --due asks no more often than it requires.'),
    landing: web.nullable().default(null).describe('Page of the publisher, shown if a download fails.'),
  })
  .superRefine((settings, context) => {
    const fault = (message: string): void => context.addIssue({ code: 'custom', message });
    const { url, ckan, sha256, file_name } = settings;
    if ((url === null) === (ckan === undefined)) fault('give either url or ckan');
    const targets = [url ?? ckan?.resource ?? []].flat();
    if (sha256 !== null && [sha256].flat().length !== targets.length)
      fault('sha256 must have one entry for each file');
    if (file_name !== null && targets.length !== 1) fault('file_name is for a single file');
    const secret = secretInClear([...[url ?? []].flat(), ckan?.portal ?? ''], settings.headers);
    if (secret !== null)
      fault(`${secret} is a secret: write ${VARIABLE} and set the environment variable NAME`);
  });

export type FetchSettings = z.infer<typeof fetchSchema>;

/** Settings of all downloads. */
export const downloadsSchema = z
  .strictObject({
    user_agent: z
      .string()
      .min(1)
      .default('Mozilla/5.0 (compatible; property-data-pipeline)')
      .describe('User-Agent of downloads; several portals answer 403 to unknown ones.'),
    attempts: z
      .number()
      .int()
      .min(1)
      .max(50)
      .default(6)
      .describe('Maximum consecutive attempts without progress before a download fails.'),
    backoff_s: z
      .number()
      .min(0)
      .max(3600)
      .default(2)
      .describe(
        'Seconds before the second attempt; each further attempt waits twice as long, at most 2 minutes.',
      ),
    retry_after_max_s: z
      .number()
      .min(0)
      .max(86_400)
      .default(900)
      .describe(
        'Maximum wait that a server may ask for with Retry-After, seconds; after a longer one the download fails.',
      ),
    stall_s: z
      .number()
      .min(0.1)
      .max(3600)
      .default(60)
      .describe(
        'Window in seconds in which a server must send at least 1 KiB a second, in the first window a byte; otherwise the attempt ends.',
      ),
    private_addresses: z
      .boolean()
      .default(false)
      .describe(
        'Whether public names may resolve to private addresses, as in an intranet with its own names; otherwise such a download is refused.',
      ),
    max_mb: z
      .number()
      .positive()
      .default(20_000)
      .describe('Maximum size of a download, megabytes; nothing of a larger one is kept.'),
    min_free_mb: z
      .number()
      .min(0)
      .default(512)
      .describe('Minimum free disk space that a download must leave, megabytes.'),
    keep: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .default(2)
      .describe(
        'Number of releases kept for each dataset; older ones are deleted after a newer one is complete.',
      ),
  })
  .prefault({});
