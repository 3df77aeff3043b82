import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openTraces, spanIdOf, traceIdOf, type TracesOptions } from '../../../src/platform/telemetry/traces.ts';
import { startCollector } from '../../support/servers/collector.ts';
import { eventually } from '../../support/eventually.ts';
import { readTree } from '../../tidy/sourceFile.ts';

async function open(options: Partial<TracesOptions> = {}, status = 200) {
  const collector = await startCollector(status);
  onTestFinished(() => collector.close());
  return { collector, traces: await openTraces({ endpoint: collector.url, service: 'test', oneIn: 1, ...options }) };
}

test('steps of two independent processes form one trace, each below the previous step', async () => {
  const { collector, traces } = await open({ service: 'a' });
  const other = await openTraces({ endpoint: collector.url, service: 'b', oneIn: 1 });
  other.tell({ of: 'r1/p1', name: 'second', after: 'first', startMs: 1_700_000_000_500.25, endMs: 1_700_000_000_600 });
  traces.tell({
    of: 'r1/p1',
    name: 'first',
    startMs: 1_700_000_000_000,
    endMs: 1_700_000_000_400,
    attributes: { 'rain.id': 'r1' },
  });
  traces.tell({ of: 'r1/p2', name: 'first', startMs: 1_700_000_000_000, endMs: 1_700_000_000_400 });
  await Promise.all([traces.close(), other.close()]);
  const spans = collector.heard
    .filter(({ traceId }) => traceId === traceIdOf('r1/p1'))
    .sort((a, b) => a.name.localeCompare(b.name));
  expect(
    spans.map(({ name, service, spanId, parentSpanId, attributes }) => ({
      name,
      service,
      spanId,
      parentSpanId: parentSpanId || undefined,
      attributes,
    })),
  ).toEqual([
    {
      name: 'first',
      service: 'a',
      spanId: spanIdOf('r1/p1', 'first'),
      parentSpanId: undefined,
      attributes: { 'rain.id': 'r1' },
    },
    {
      name: 'second',
      service: 'b',
      spanId: spanIdOf('r1/p1', 'second'),
      parentSpanId: spanIdOf('r1/p1', 'first'),
      attributes: {},
    },
  ]);
  expect(spans.map(({ startTimeUnixNano, endTimeUnixNano }) => [startTimeUnixNano, endTimeUnixNano])).toEqual([
    [1_700_000_000_000_000_000n, 1_700_000_000_400_000_000n],
    [1_700_000_000_500_250_000n, 1_700_000_000_600_000_000n],
  ]);
  expect(collector.heard).toHaveLength(3);
});

test('an operator finds the trace of a win by a shell: the first half of a SHA-256 of rain and packet', () => {
  expect(traceIdOf('spring/spring-0-17')).toBe(
    createHash('sha256').update('spring/spring-0-17').digest('hex').slice(0, 32),
  );
});

test('one in so many is followed, the same ones by every process', async () => {
  const [{ traces }, other] = [await open({ oneIn: 10 }), await open({ oneIn: 10 })];
  const names = Array.from({ length: 5_000 }, (_, i) => `r1/${i}`);
  const followed = names.filter((name) => traces.follows(name));
  expect(followed.length).toBeGreaterThan(350);
  expect(followed.length).toBeLessThan(650);
  expect(names.filter((name) => other.traces.follows(name))).toEqual(followed);
  await Promise.all([traces.close(), other.traces.close()]);
});

test('[R10] a refusing or missing collector is reported, loses spans, and delays nothing', async () => {
  const faults: string[] = [];
  const { traces } = await open({ onFault: ({ message }) => faults.push(message) }, 400);
  const gone = await openTraces({ endpoint: 'http://127.0.0.1:1', service: 'test', oneIn: 1 });
  for (let i = 0; i < 10_000; i++)
    for (const one of [traces, gone]) one.tell({ of: `r1/${i}`, name: 'grab', startMs: 1, endMs: 2 });
  const began = performance.now();
  await Promise.all([traces.close(500), gone.close(500)]);
  expect(performance.now() - began).toBeLessThan(2_000);
  await eventually(() => expect(faults.length).toBeGreaterThan(0));
});

test('the packages are loaded only when a collector is configured', () => {
  const sources = readTree(fileURLToPath(new URL('../../..', import.meta.url)), ['src'], /\.ts$/);
  const using = sources.filter(({ text }) => text.includes('@opentelemetry/'));
  expect(using.map(({ path }) => path)).toEqual(['src/platform/telemetry/traces.ts']);
  const atStart = using[0]!.text.split('\n').filter((line) => /^(import|export) (?!type ).*@opentelemetry/.test(line));
  expect(atStart).toEqual([]);
});
