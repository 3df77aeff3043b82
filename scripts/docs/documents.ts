import { readFileSync } from 'node:fs';
import { manual } from '../../src/bin/manual.ts';
import { openProgram } from '../../src/bin/program.ts';
import { openApi } from '../../src/console/openapi.ts';
import { asyncApi } from '../../src/protocol/asyncapi.ts';
import { codesMarkdown } from '../../src/protocol/describe.ts';
import { gatewayApi } from '../../src/protocol/gatewayApi.ts';
import { fieldsMarkdown } from '../../src/protocol/fields.ts';
import { METHODS } from '../../src/rain/split/methods.ts';
import { capacityPage } from './capacity.ts';
import { fillMarked } from './marked.ts';
import { metricsPage } from './metrics.ts';
import { settingsPage } from './settings.ts';

interface GeneratedDocument {
  /** From the project's folder. */
  path: string;
  /** @param before the current page: in some pages only marked parts are generated */
  make(before: string): string | Promise<string>;
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const codesPage = (): string => `# Codes

Generated from \`src/protocol/outcomes.ts\` and \`saleOutcomes.ts\` by \`npm run docs\`; \`rain codes\` prints the same. [The protocol](protocol.md#what-to-do-when)
says what a client does with each code. Results and answers about orders stand in order of precedence.

${codesMarkdown()}
`;

const messagesPage = (): string => `# Messages of \`rain.v1\`

Generated from \`src/protocol/\` by \`npm run docs\`; \`rain protocol\` prints the same. How they are used: [the protocol](protocol.md).

${fieldsMarkdown().replaceAll(/^###/gm, '##')}
`;

/**
 * Every document that is generated from the code and from nothing else. The recorded session needs servers:
 * test/docs/transcript.long.test.ts.
 */
export const DOCUMENTS: readonly GeneratedDocument[] = [
  { path: 'docs/reference/cli.md', make: async () => manual(await openProgram()) },
  { path: 'docs/reference/settings.md', make: settingsPage },
  { path: 'docs/reference/codes.md', make: codesPage },
  { path: 'docs/reference/metrics.md', make: metricsPage },
  { path: 'docs/reference/messages.md', make: messagesPage },
  {
    path: 'docs/reference/fairness-recipe.md',
    make: (before) =>
      fillMarked(before, 'splits', METHODS.map(({ name, recipe }) => `- \`${name}\`: ${recipe}`).join('\n')),
  },
  { path: 'docs/reference/asyncapi.json', make: () => json(asyncApi('1')) },
  { path: 'docs/reference/openapi.json', make: () => json(openApi()) },
  { path: 'docs/reference/gateway-openapi.json', make: () => json(gatewayApi('1')) },
  { path: 'docs/how-to/plan-capacity.md', make: capacityPage },
  // A chart reads files of its own folder only, and a symbolic link is a text where git has none.
  {
    path: 'deploy/helm/red-packet-rain/grants.sql',
    make: () => readFileSync(new URL('../../deploy/postgresql/grants.sql', import.meta.url), 'utf8'),
  },
];
