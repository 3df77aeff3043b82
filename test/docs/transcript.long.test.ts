import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientMessage, type RainSnapshot } from '../../src/protocol/messages.ts';
import { serverMessage } from '../../src/protocol/serverMessages.ts';
import { commitmentOf } from '../../src/rain/commitment.ts';
import { normalize, recordSession, type Frame } from '../protocol/recording.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

const PATH = fileURLToPath(new URL('../../docs/reference/transcript.jsonl', import.meta.url));
const lines = readFileSync(PATH, 'utf8').trimEnd().split('\n');
const written = lines.map((line) => JSON.parse(line) as Frame);

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context?.stop());

function expectSchemas(frames: readonly Frame[]): void {
  for (const { way, message } of frames) {
    // Messages answered by `error` are in it on purpose.
    if ('userId' in message && way === 'to server') expect(clientMessage.safeParse(message).success).toBe(false);
    else
      expect(
        (way === 'to server' ? clientMessage : serverMessage).safeParse(message).error?.issues ?? [],
        JSON.stringify(message),
      ).toEqual([]);
  }
}

/**
 * The sender and the kind of each message, in order: these must be the same in every run. How often an unchanged
 * snapshot is sent is chance, and so is whether the close is seen before the settlement.
 */
function shapeOf(frames: readonly Frame[]): string[] {
  const seen = new Map<string, unknown>();
  return frames
    .filter(({ user, message, way }) => {
      if (message.type !== 'rain') return true;
      const news = message['state'] !== seen.get(user) && message['state'] !== 'closed';
      seen.set(user, message['state']);
      return news && way === 'to client';
    })
    .map(
      ({ user, way, message }) =>
        `${user} ${way} ${message.type} ${String(message['code'] ?? message['state'] ?? '')} {${Object.keys(message).toSorted().join(' ')}}`,
    );
}

test('every line of the transcript is a message of the wire, and it has all that a session has', () => {
  expectSchemas(written);
  const kinds = new Set(
    written.map(({ way, message }) => `${way} ${message.type} ${String(message['code'] ?? '')}`.trim()),
  );
  for (const kind of [
    'welcome',
    'pong',
    'rain',
    'result -2',
    'result 0',
    'result 1',
    'result -1',
    'credited',
    'winners',
    'error bad_field',
    'goodbye',
  ])
    expect(kinds, kind).toContain(`to client ${kind}`);
  expect(written.findLast(({ message }) => message.type === 'rain')!.message).toMatchObject({
    state: 'settled',
    seed: expect.stringMatching(/^[0-9a-f]{64}$/),
    plan: { budget: '12.21' },
    shards: 1,
  });
});

test('its seed is what was committed to before the start', () => {
  const told = written.findLast(({ message }) => message.type === 'rain')!.message as unknown as RainSnapshot;
  const joined = written.find(({ message }) => message.type === 'rain')!.message;
  expect(commitmentOf({ rainId: told.rainId, seed: told.seed!, plan: told.plan, shards: told.shards! })).toBe(
    joined['commitment'],
  );
});

test('a session of today goes as the transcript says; if not: npm run docs', async () => {
  const recorded = await recordSession(context);
  expectSchemas(recorded);
  const today = normalize(recorded).map((line) => JSON.parse(line) as Frame);
  // Seed and packets differ in every run: the recorded session stays as long as today's has its shape.
  const same = JSON.stringify(shapeOf(today)) === JSON.stringify(shapeOf(written));
  await expect(`${(same ? lines : normalize(recorded)).join('\n')}\n`).toMatchFileSnapshot(PATH);
});
