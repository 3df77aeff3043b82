import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { askedBy } from '../support/promql.ts';
import { HAS_PROMTOOL, promtool } from '../support/promtool.ts';
import { knownFigures } from '../support/registries.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));
const rulesFile = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.union([
          z.strictObject({ record: z.string(), expr: z.string() }),
          z.strictObject({
            alert: z.string(),
            expr: z.string(),
            for: z.string().optional(),
            labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
            annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook_url: z.string() }),
          }),
        ]),
      ),
    }),
  ),
});
const rules = rulesFile
  .parse(parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8')))
  .groups.flatMap((group) => group.rules);
const alerts = rules.flatMap((rule) => ('alert' in rule ? [rule] : []));
const recorded = rules.flatMap((rule) => ('record' in rule ? [rule.record] : []));
const dashboard = z
  .object({ panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })) })
  .parse(JSON.parse(readFileSync(join(DEPLOY, 'grafana/red-packet-rain.json'), 'utf8')));

/** Name → its labels, as Prometheus stores it: a histogram is three series. */
const stored = new Map<string, Set<string>>([['up', new Set()]]);
for (const { name, kind, labels } of await knownFigures()) {
  const known = stored.get(name) ?? new Set();
  for (const label of labels) known.add(label);
  if (kind === 'histogram')
    for (const [part, more] of [
      ['bucket', ['le']],
      ['sum', []],
      ['count', []],
    ] as const)
      stored.set(`${name}_${part}`, new Set([...known, ...more]));
  else stored.set(name, known);
}
/** Labels that Prometheus itself, and several gateways behind one port, add. */
const ANYWHERE = new Set(['job', 'instance', 'process']);

function strangersIn(expression: string): string[] {
  const { names, labels } = askedBy(expression);
  const known = names.flatMap((name) => [...(stored.get(name) ?? [])]);
  return [
    ...names.filter((name) => !stored.has(name) && !recorded.includes(name)),
    ...labels
      .filter((label) => !known.includes(label) && !ANYWHERE.has(label))
      .map((label) => `${label} of ${names.join()}`),
  ];
}

describe('what the alerts and the dashboard ask for', () => {
  test('uses only metrics and labels that a server exports', () => {
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(expressions.length).toBeGreaterThan(50);
    expect(expressions.flatMap(strangersIn)).toEqual([]);
  });

  test('an unknown metric, label or function is detected', () => {
    expect(strangersIn('sum by (code) (rate(rain_gateway_grabs_total{code="0"}[1m]))')).toEqual([]);
    expect(strangersIn('sum(rain_gateway_socket)')).toEqual(['rain_gateway_socket']);
    expect(strangersIn('rain_gateway_sockets{code="0"} > 1')).toEqual(['code of rain_gateway_sockets']);
    expect(strangersIn('max by (user) (rain_ready)')).toEqual(['user of rain_ready']);
    expect(strangersIn('rate(rain_credit_lag_seconds[1m])')).toEqual(['rain_credit_lag_seconds']);
    expect(() => askedBy('summe(rain_ready)')).toThrow(/no function/);
    expect(() => askedBy('rain_ready ; 1')).toThrow(/not PromQL/);
  });

  test('includes the important metrics', () => {
    const asked = new Set(
      dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => askedBy(expr).names)),
    );
    for (const name of [
      'rain_gateway_sockets',
      'rain_gateway_grabs_total',
      'rain_gateway_answer_seconds_bucket',
      'rain_packets',
      'rain_money_cents',
      'rain_balanced',
      'rain_credit_lag_seconds_bucket',
      'rain_dead_letters',
      'rain_gateway_refused_total',
      'rain_gateway_redis_batch_seconds_bucket',
      'rain_gateway_loop_delay_seconds',
      'process_resident_memory_bytes',
    ])
      expect(asked).toContain(name);
  });
});

describe('the runbook', () => {
  const page = readFileSync(new URL('../../docs/how-to/runbook.md', import.meta.url), 'utf8');
  const sections = [...page.matchAll(/^### (\w+)\n\n([^]*?)(?=\n###? |$(?![^]))/gm)].map(([, name, text]) => ({
    name: name!,
    text: text!,
  }));

  test('has one section for each alert, in the same order, and none for what is no alert', () => {
    expect(sections.map(({ name }) => name)).toEqual(alerts.map(({ alert }) => alert));
    expect(alerts.length).toBeGreaterThan(14);
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook_url).toBe(`docs/how-to/runbook.md#${alert.toLowerCase()}`);
    for (const { name, text } of sections) expect(text.length, name).toBeGreaterThan(150);
  });

  test('names only figures that there are', () => {
    const named = page.match(/\brain_[a-z0-9_]+|\bnodejs_[a-z0-9_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !stored.has(name) && !stored.has(`${name}_count`))).toEqual([]);
  });
});

describe.runIf(HAS_PROMTOOL)('promtool', () => {
  const folder = join(DEPLOY, 'prometheus');

  test('takes the configuration and the rules', () => {
    expect(promtool('check', 'config', join(folder, 'prometheus.yml'))).toMatchObject({ exit: 0 });
    expect(promtool('check', 'rules', join(folder, 'alerts.yml'))).toMatchObject({ exit: 0 });
  });

  test('the alerts behave as their examples say', () => {
    expect(promtool('test', 'rules', join(folder, 'alerts.test.yml'))).toMatchObject({
      exit: 0,
      printed: expect.stringContaining('SUCCESS'),
    });
  });
});
