import { afterAll } from 'vitest';
import { eventually } from '../eventually.ts';
import { endTakenRedis } from '../servers/sharedRedis.ts';

/** Handles that would go on in the files that come after this one in the same process. */
const KINDS = ['ProcessWrap', 'TCPServerWrap', 'TCPSocketWrap'];

function count(): Record<string, number> {
  const alive = process.getActiveResourcesInfo();
  return Object.fromEntries(KINDS.map((kind) => [kind, alive.filter((name) => name === kind).length]));
}

// Evaluated anew before each file, and its hook is the last one to run after it.
const before = count();

afterAll(async () => {
  if (await endTakenRedis())
    throw new Error(
      'this file has not given back the Redis that it shares with the files after it: call stop() of what sharedRedis gave',
    );
  await eventually(
    () => {
      const left = Object.entries(count()).filter(([kind, n]) => n > before[kind]!);
      if (left.length > 0)
        throw new Error(
          `this file leaves behind, of what it has started: ${left.map(([kind, n]) => `${n - before[kind]!} × ${kind}`).join(', ')}`,
        );
    },
    { timeoutMs: 10_000 },
  );
});
