import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EVENTS_CHANNEL } from '../../src/store/keys.ts';
import { tokenFor } from '../support/client.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openRedis, stockRain } from '../support/rain.ts';
import { creditedEvent } from '../support/signer.ts';
import { complaintsOf, openPackedClient } from './packedClient.ts';

const page = readFileSync(new URL('../../docs/reference/client.md', import.meta.url), 'utf8');

const { server, redis } = await openRedis();
const { project } = await openPackedClient();

const EXAMPLES = ['browser', 'node', 'buy'] as const;
type Example = (typeof EXAMPLES)[number];

/** An example of docs/reference/client.md. */
function example(name: Example): string {
  return new RegExp(`^\`\`\`ts ${name}\n([^]*?)^\`\`\`$`, 'm').exec(page)![1]!;
}

/** Compiles an example as its reader would, in a project of his. */
async function compiled(name: Example): Promise<{ faults: string; script: string }> {
  const folder = await project(
    {
      'example.mts': example(name),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          target: 'es2022',
          module: 'nodenext',
          strict: true,
          exactOptionalPropertyTypes: true,
          outDir: '.',
          rootDir: '.',
          lib: name === 'node' ? ['es2023'] : ['es2023', 'dom', 'dom.iterable'],
          types: name === 'node' ? ['node'] : [],
          // Our own declarations are checked as well as the example; those of libraries are their business.
          skipLibCheck: name === 'node',
        },
        files: ['example.mts'],
      }),
    },
    name === 'node' ? ['altcha-lib', 'ws', '@types/node', '@types/ws'] : [],
  );
  return { faults: await complaintsOf(folder), script: join(folder, 'example.mjs') };
}

test.each(EXAMPLES)('the example for %s fits on a screen and is true to the types that are published', async (name) => {
  expect(example(name).split('\n').length).toBeLessThanOrEqual(60);
  expect((await compiled(name)).faults).toBe('');
});

test('the example for Node plays a win, by the name under which the package is published', async () => {
  const gateway = await openGateway(server.url, {
    challenges: {
      tickets: 'always',
      proofOfWork: 'always',
      secret: 'a-ticket-secret-for-tests-0123456789',
      proofOfWorkTries: 20,
    },
  });
  onTestFinished(() => gateway.close());
  await stockRain(redis, { rainId: 'spring', amounts: ['12.21'], opensInMs: 500 });
  const { script } = await compiled('node');
  const env = {
    PATH: process.env['PATH'],
    RAIN_URL: gateway.url,
    RAIN_TOKEN: await tokenFor('ann'),
    RAIN_ID: 'spring',
  };
  const player = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void player.kill());
  const [told] = (await once(player.stdout.setEncoding('utf8'), 'data')) as [string];
  expect(told).toBe('ann won 12.21\n');
  expect(player.exitCode).toBeNull();
  const ended = once(player, 'exit');
  await redis.publish(
    EVENTS_CHANNEL,
    creditedEvent('spring', [{ userId: 'ann', redPacketId: 'spring-0', amount: '12.21' }]),
  );
  expect(await ended).toEqual([0, null]);
});
