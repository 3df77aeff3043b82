import { knownFigures, type KnownFigure } from '../../test/support/registries.ts';

const HEAD = `# Metrics

Generated from the servers' registries by \`npm run docs\`.

\`METRICS_PORT\` opens \`/metrics\` for Prometheus, \`/healthz\` and \`/readyz\` on gateway, worker and console. \`METRICS_HOST\` is the
address they listen on (127.0.0.1). With \`rain gateway --processes N\` the parent exposes the metrics of all processes, each with the label \`process\`. Every
process also exposes the metrics of Node itself (\`process_…\`, \`nodejs_…\`). Times are in seconds. A \`_total\` only grows. A histogram has
\`_bucket\`, \`_sum\` and \`_count\`. The dashboard and the alerts are in \`deploy/\`; [the runbook](../how-to/runbook.md) says what to do about each alert.
`;

/** All metrics of this project, by the server that exposes them. */
export async function metricsPage(): Promise<string> {
  const ours = (await knownFigures()).filter(({ name }) => name.startsWith('rain_'));
  const common = ours.filter(({ name }) => ours.filter((other) => other.name === name).length > 1);
  const rows = (some: readonly KnownFigure[]) =>
    [
      '| metric | kind | labels | meaning |',
      '|---|---|---|---|',
      ...some.map(
        ({ name, kind, labels, help }) =>
          `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(' ')} | ${help.replaceAll('|', '\\|')} |`,
      ),
    ].join('\n');
  const once = [...new Map(common.map((figure) => [figure.name, figure])).values()];
  const sections = (['gateway', 'worker', 'console'] as const).map(
    (server) =>
      `## ${server}\n\n${rows(ours.filter((figure) => figure.server === server && !common.includes(figure)))}\n`,
  );
  return [HEAD, `## every server\n\n${rows(once)}\n`, ...sections].join('\n');
}
