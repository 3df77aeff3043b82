import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { knownFigures, type KnownFigure } from '../support/registries.ts';

const PAGE = new URL('../../docs/metrics.md', import.meta.url);
const figures = await knownFigures();
const ours = figures.filter(({ name }) => name.startsWith('rain_'));

const HEAD = `# Figures

\`METRICS_PORT\` opens \`/metrics\` for Prometheus, \`/healthz\` and \`/readyz\` on gateway, worker and console; \`METRICS_HOST\` says where
(127.0.0.1). Of \`rain gateway --processes N\` the parent tells the figures of all, each with \`process\` as a label. Beside these each
process tells those of Node itself (\`process_…\`, \`nodejs_…\`). Times are seconds; \`_total\` only grows; a histogram has
\`_bucket\`, \`_sum\` and \`_count\`. Dashboard and alerts are in \`deploy/\`, what to do in [runbook.md](runbook.md).

This page is made from what the servers tell: \`npx vitest run test/docs/metrics.test.ts -u\`.
`;

function page(): string {
  const common = ours.filter(({ name }) => ours.filter((other) => other.name === name).length > 1);
  const rows = (some: readonly KnownFigure[]) => ['| figure | kind | labels | what it says |', '|---|---|---|---|',
    ...some.map(({ name, kind, labels, help }) => `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(' ')} | ${help.replaceAll('|', '\\|')} |`)].join('\n');
  const once = [...new Map(common.map((figure) => [figure.name, figure])).values()];
  const sections = (['gateway', 'worker', 'console'] as const).map((server) => `## ${server}\n\n${rows(ours.filter((figure) => figure.server === server && !common.includes(figure)))}\n`);
  return [HEAD, `## every server\n\n${rows(once)}\n`, ...sections].join('\n');
}

test('the page of figures says what the servers tell', async () => {
  await expect(page()).toMatchFileSnapshot(PAGE.pathname);
});

test('names follow the convention: rain_, base units, _total for counters and for nothing else', () => {
  expect(ours.length).toBeGreaterThan(35);
  const faults = ours.filter(({ name, kind }) => /_(ms|milliseconds|minutes|kb|mb|percent)(_|$)/.test(name) || (kind === 'counter') !== name.endsWith('_total')
    || (kind === 'histogram' && !/_(seconds|bytes|grabs)$/.test(name)) || !/^rain_[a-z0-9]+(_[a-z0-9]+)*$/.test(name));
  expect(faults.map(({ name }) => name)).toEqual([]);
});

test('every figure says what to think of it, and the same name says the same everywhere', () => {
  expect(ours.filter(({ help }) => help.length < 40).map(({ name, help }) => `${name}: ${help}`)).toEqual([]);
  for (const { name, help, labels, kind } of ours) {
    for (const other of ours.filter((one) => one.name === name)) expect([other.help, other.labels, other.kind], name).toEqual([help, labels, kind]);
  }
});

test('no name that was given up is told or talked about', () => {
  const names = new Set(figures.map(({ name }) => name));
  const written = readFileSync(PAGE, 'utf8').match(/\brain_[a-z0-9_]+/g) ?? [];
  expect(written.filter((name) => !names.has(name.replace(/_(bucket|sum|count)$/, '')) && !names.has(name))).toEqual([]);
});
