/** The folders of the program, and what each may import of ours besides itself. A folder with a subfolder, such as `transforms/geo`, admits that alone. */
export const MAY = {
  loader: [],
  schema: [],
  contract: ['schema', 'transforms'],
  transforms: ['schema'],
  sources: ['loader', 'schema', 'transforms'],
  store: ['schema'],
  pipelines: ['loader', 'schema', 'transforms', 'sources', 'store'],
  jobs: ['schema', 'contract', 'pipelines', 'store'],
  ops: ['schema', 'transforms/geo', 'contract', 'store', 'pipelines', 'jobs'],
  service: ['schema', 'contract', 'store', 'ops/look'],
  cli: [
    'loader',
    'schema',
    'contract',
    'sources',
    'store',
    'pipelines',
    'jobs',
    'ops',
    'service',
    'tools/sample',
  ],
  'tools/sample': ['schema', 'transforms/geo'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The folders of the program. */
export const LAYERS = Object.keys(MAY) as (keyof typeof MAY)[];
