import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ServiceMetrics } from '../service/http/metrics.ts';
import { ROOT } from './source_tree.ts';

const DEPLOY = `${ROOT}deploy/`;
const text = (path: string): string => readFileSync(`${DEPLOY}${path}`, 'utf8');

/** Commands of the program, as its documentation lists them. */
const COMMANDS = new Set(
  [...readFileSync(`${ROOT}docs/commands.md`, 'utf8').matchAll(/^\| `([a-z]+)/gm)].map(([, name]) => name),
);

/** Registry with every metric of the service. */
function serviceRegistry(): ServiceMetrics['registry'] {
  const metrics = new ServiceMetrics({});
  metrics.addGauges(createServer(), () => 0);
  return metrics.registry;
}

/** Names of the metrics of ops and of the service, a histogram's with its buckets. */
async function metrics(): Promise<Set<string>> {
  const service = await serviceRegistry().getMetricsAsJSON();
  const ops = [...readFileSync(`${ROOT}ops/metrics.ts`, 'utf8').matchAll(/gauge\(\s*'(\w+)'/g)];
  return new Set([
    ...service.flatMap(({ name }) => [name, `${name}_bucket`]),
    ...ops.map(([, name]) => `pipeline_${name}`),
  ]);
}

describe('files for deployment', () => {
  it('run commands that exist', () => {
    const units = readdirSync(`${DEPLOY}systemd`).filter((name) => name.endsWith('.service'));
    const started = units.map((name) => /start\.mjs (\w+)/.exec(text(`systemd/${name}`))![1]);
    const { services } = parse(text('compose.yaml'), { merge: true }) as {
      services: Record<string, { image: string; command: string[] }>;
    };
    const composed = Object.values(services)
      .filter(({ image }) => image === 'property-pipeline')
      .map(({ command }) => command[0]);
    const { spec } = parse(text('cronjob.yaml'));
    const [container] = spec.jobTemplate.spec.template.spec.containers;
    expect([...started, ...composed, container.args[0]].sort()).toEqual([
      'ops',
      'ops',
      'publish',
      'refresh',
      'refresh',
      'refresh',
      'serve',
      'serve',
      'worker',
      'worker',
    ]);
    for (const command of [...started, ...composed]) expect(COMMANDS).toContain(command);
  });

  it('use metrics that exist', async () => {
    const names = await metrics();
    const { groups } = parse(text('alerts.yaml')) as { groups: { rules: { expr: string }[] }[] };
    const { panels } = JSON.parse(text('dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
    const asked = [
      ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ].flatMap((expr) => expr.match(/\b(pipeline|service)_\w+/g) ?? []);
    expect(new Set(asked).size).toBeGreaterThan(12);
    for (const name of asked) expect(names).toContain(name);
  });

  it('select and name in alerts only labels that the metrics have', () => {
    const registry = serviceRegistry();
    const source = readFileSync(`${ROOT}ops/metrics.ts`, 'utf8');
    const labels = new Map(
      [...source.matchAll(/gauge\(\s*'(\w+)',\s*'[^']*'(?:,\s*\[([^\]]*)\])?/g)].map(([, name, list]) => [
        `pipeline_${name}`,
        [...(list ?? '').matchAll(/'(\w+)'/g)].map(([, label]) => label!),
      ]),
    );
    const labelsOf = (metric: string): string[] => {
      const single = registry.getSingleMetric(metric.replace(/_bucket$/, '')) as
        | { labelNames?: string[] }
        | undefined;
      return labels.get(metric) ?? [...(single?.labelNames ?? []), 'le', 'job'];
    };
    const { groups } = parse(text('alerts.yaml')) as {
      groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
    };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(5);
    for (const { alert, expr, annotations } of rules) {
      const [metric] = /\b(?:up|(?:pipeline|service)_\w+)/.exec(expr)!;
      const selected = [...expr.matchAll(/(\w+)(?==~?")/g), ...expr.matchAll(/by \((\w+)\)/g)];
      const shown = annotations.summary.matchAll(/\$labels\.(\w+)/g);
      for (const [, label] of [...selected, ...shown]) expect(labelsOf(metric!), alert).toContain(label);
    }
  });

  it('are valid YAML without repeated keys', () => {
    for (const name of ['compose.yaml', 'cronjob.yaml', 'alerts.yaml'])
      for (const document of parseAllDocuments(text(name))) expect(document.errors, name).toEqual([]);
  });

  const verify = spawnSync('systemd-analyze', ['--version']);
  if (verify.error) console.warn('SKIPPED: units of systemd are not verified, there is no systemd-analyze.');
  it.skipIf(verify.error !== undefined)('have units that systemd accepts', () => {
    for (const name of readdirSync(`${DEPLOY}systemd`)) {
      const { stderr } = spawnSync('systemd-analyze', ['verify', `${DEPLOY}systemd/${name}`], {
        encoding: 'utf8',
      });
      // The program is not installed where it would be.
      const said = stderr
        .split('\n')
        .filter((line) => line.includes(name) && !/is not executable/.test(line));
      expect(said, name).toEqual([]);
    }
  });
});
