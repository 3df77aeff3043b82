import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redisNow } from '../../../src/store/rains.ts';
import { createLaterQueue } from '../../../src/credit/queue.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import { createRain } from '../../../src/operator/create.ts';
import { loadRain } from '../../../src/operator/load.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';
import { signer } from '../../support/signer.ts';

let testConsole: TestConsole;
let vera: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  vera = await testConsole.signIn('vera');
  const now = await redisNow(testConsole.redis);
  await createRain(testConsole, {
    id: 'looked-at',
    plan: { budget: '1.00', packets: 10 },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
  });
  await loadRain(testConsole, 'looked-at');
});
afterAll(() => testConsole?.stop());

/** A console whose ledger answers only on command, and the number of requests that wait for it. */
async function slowBook() {
  const waiting: (() => void)[] = [];
  let slow = true;
  const ledger = new Proxy(testConsole.ledger, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (name !== 'rain' || typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        if (slow) await new Promise<void>((resolve) => waiting.push(resolve));
        return Reflect.apply(value, of, args) as unknown;
      };
    },
  });
  const later = createLaterQueue({
    connection: testConsole.redis,
    prefix: QUEUE_PREFIX,
    onError: () => {},
    visiting: true,
  });
  const console = await testConsole.another({
    backend: {
      redis: testConsole.redis,
      ledger,
      signer,
      queues: { ...testConsole.queues, later },
      sendReservations: async () => {},
    },
  });
  return {
    console,
    waiting,
    answer() {
      slow = false;
      for (const go of waiting.splice(0)) go();
    },
    async close() {
      await console.close();
      await later.close();
    },
  };
}

/** Sends a request. @returns a function that disconnects before the answer */
function leaver(url: string, path: string): () => Promise<unknown> {
  const asking = request(url + path, { headers: { cookie: vera.cookie } });
  asking.on('error', () => {});
  asking.end();
  return () =>
    new Promise((gone) => {
      asking.once('close', gone).destroy();
    });
}

test.each([
  ['live', 20, 'text/event-stream'],
  ['winners.csv', 3, 'text/csv'],
])('[R10] %s: a client that disconnects before the answer frees its place', async (path, places, type) => {
  const book = await slowBook();
  try {
    const leavers = Array.from({ length: places }, () =>
      leaver(book.console.url, `/api/console/rains/looked-at/${path}`),
    );
    await eventually(() => expect(book.waiting).toHaveLength(places));
    await Promise.all(leavers.map((leave) => leave()));
    // The disconnects must be handled before the next requests.
    for (let i = 0; i < 20; i++) await fetch(`${book.console.url}/healthz`);
    book.answer();
    await eventually(async () => {
      const leave = new AbortController();
      const answer = await fetch(`${book.console.url}/api/console/rains/looked-at/${path}`, {
        headers: { cookie: vera.cookie },
        signal: leave.signal,
      });
      const told = [answer.status, answer.headers.get('content-type')];
      leave.abort();
      expect(told).toEqual([200, expect.stringContaining(type)]);
    });
  } finally {
    await book.close();
  }
});
