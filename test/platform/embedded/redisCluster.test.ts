import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startClusterServer } from '../../../src/platform/embedded/redisCluster.ts';
import { homeAt } from '../../../src/platform/process/home.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { eventually } from '../../support/eventually.ts';

test('a server whose port was in use when it was to start again starts again when the port is free', async () => {
  const started = await startClusterServer(homeAt(temporaryFolder()), 'master 1', 'secret');
  if (!started.ok) throw new Error(started.reason);
  const { server } = started;
  onTestFinished(() => server.stop());
  server.kill();
  const other = await eventually(async () => {
    const listening = createServer((socket) => socket.destroy()).listen(server.port, '127.0.0.1');
    await once(listening, 'listening');
    return listening;
  });
  await expect(server.startAgain()).rejects.toThrow(`port ${server.port} of 127.0.0.1 is in use`);
  other.close();
  await once(other, 'close');
  await server.startAgain();
});
