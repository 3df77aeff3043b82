import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { EVENTS_CHANNEL } from '../../src/store/keys.ts';
import { OUTCOMES_IN_ORDER } from '../../src/protocol/outcomes.ts';
import { SALE_OUTCOMES_IN_ORDER } from '../../src/protocol/saleOutcomes.ts';
import { tokenFor } from '../support/client.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { creditedEvent } from '../support/signer.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/reference/client.md'), 'utf8');

const { server, redis } = await openRedis();

const EXAMPLES = ['browser', 'node', 'buy'] as const;
type Example = (typeof EXAMPLES)[number];

/** An example of docs/reference/client.md. */
function example(name: Example): string {
  return new RegExp(`^\`\`\`ts ${name}\n([^]*?)^\`\`\`$`, 'm').exec(page)![1]!;
}

/** Compiles an example as its reader would, from within the package, so that its own name leads to what is published. */
function compiled(name: Example): { faults: string; script: string } {
  const folder = mkdtempSync(join(ROOT, 'dist/example-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'example.mts'), example(name));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({
    compilerOptions: {
      target: 'es2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true, outDir: '.', rootDir: '.',
      lib: name === 'node' ? ['es2023'] : ['es2023', 'dom', 'dom.iterable'], types: name === 'node' ? ['node'] : [],
      // Our own declarations are checked as well as the example; those of libraries are their business.
      skipLibCheck: name === 'node',
    },
    files: ['example.mts'],
  }));
  const { stdout } = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8' });
  return { faults: stdout, script: join(folder, 'example.mjs') };
}

test.each(EXAMPLES)('the example for %s fits on a screen and is true to the types that are published', (name) => {
  expect(example(name).split('\n').length).toBeLessThanOrEqual(60);
  expect(compiled(name).faults).toBe('');
});

test('every outcome of a grab is documented', () => {
  const ends = OUTCOMES_IN_ORDER.filter(({ retry }) => retry === 'no' || retry.startsWith('when')).map(({ reason }) => reason);
  for (const kind of [...ends, 'unanswered', 'unknown']) expect(page).toMatch(new RegExp(`^\\|[^|]*\`${kind}\``, 'm'));
});

test('every outcome of a purchase is documented, in its own table', () => {
  const ends = SALE_OUTCOMES_IN_ORDER.filter(({ retry }) => retry === 'no' || retry.startsWith('when')).map(({ reason }) => reason);
  const table = page.slice(page.indexOf('## Outcomes of a purchase'));
  for (const kind of [...ends, 'unanswered', 'unknown']) expect(table).toMatch(new RegExp(`^\\|[^|]*\`${kind}\``, 'm'));
});

test('the example for Node plays a win, by the name under which the package is published', async () => {
  const gateway = await openGateway(server.url, { challenges: { tickets: 'always', proofOfWork: 'always', secret: 'a-ticket-secret-for-tests-0123456789', proofOfWorkTries: 20 } });
  onTestFinished(() => gateway.close());
  await stockRain(redis, { rainId: 'spring', amounts: ['12.21'], opensInMs: 500 });
  const { script } = compiled('node');
  const env = { PATH: process.env['PATH'], RAIN_URL: gateway.url, RAIN_TOKEN: await tokenFor('ann'), RAIN_ID: 'spring' };
  const player = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void player.kill());
  const [told] = await once(player.stdout.setEncoding('utf8'), 'data') as [string];
  expect(told).toBe('ann won 12.21\n');
  expect(player.exitCode).toBeNull();
  const ended = once(player, 'exit');
  await redis.publish(EVENTS_CHANNEL, creditedEvent('spring', [{ userId: 'ann', redPacketId: 'spring-0', amount: '12.21' }]));
  expect(await ended).toEqual([0, null]);
});
