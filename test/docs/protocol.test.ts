import { readFileSync } from 'node:fs';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { expect, test } from 'vitest';
import { SUBPROTOCOL } from '../../src/protocol/constants.ts';
import { PROOF_OF_WORK_ALGORITHM } from '../../src/protocol/proofOfWork.ts';
import { LIMITS } from '../../src/gateway/limits.ts';
import { CLOSES, OUTCOMES_IN_ORDER } from '../../src/protocol/outcomes.ts';
import { SALE_OUTCOMES_IN_ORDER } from '../../src/protocol/saleOutcomes.ts';
import { ORDER_STATUSES } from '../../src/sale/order.ts';
import { clientMessage } from '../../src/protocol/messages.ts';
import { serverMessage } from '../../src/protocol/serverMessages.ts';

const page = readFileSync(new URL('../../docs/reference/protocol.md', import.meta.url), 'utf8');

test('the example of a challenge is solved by the solver that the pages use', async () => {
  const [, nonce, salt, cost, keyLength, counter, key] =
    /nonce `(\w+)`, salt `(\w+)`, cost (\d+), keyLength (\d+), counter (\d+):\n> key `(\w+)`/.exec(page)!;
  const parameters = {
    algorithm: PROOF_OF_WORK_ALGORITHM,
    nonce: nonce!,
    salt: salt!,
    cost: Number(cost),
    keyLength: Number(keyLength),
    keyPrefix: key!.slice(0, 32),
  };
  expect(await solveChallenge({ challenge: { parameters }, deriveKey })).toMatchObject({
    counter: Number(counter),
    derivedKey: key,
  });
});

test('every frame of the first example is one', () => {
  const frames = [...page.matchAll(/^ {4}([←→]) {2}(\{.*\})$/gm)].map(([, way, text]) => ({ way, text: text! }));
  expect(frames.length).toBeGreaterThanOrEqual(7);
  for (const { way, text } of frames.filter(({ text: told }) => !told.includes('…'))) {
    expect((way === '→' ? clientMessage : serverMessage).safeParse(JSON.parse(text)).success, text).toBe(true);
  }
});

test('what to do is told of every code, and the figures are those of the gateway', () => {
  const table = page.slice(page.indexOf('### What to do when'), page.indexOf('**Reconnecting.**'));
  for (const { code, retry } of OUTCOMES_IN_ORDER) if (retry !== 'no') expect(table, code).toContain(`\`${code}\``);
  for (const code of [4401, 4403, 4429, 4430, 1009] as const)
    expect(table, String(CLOSES[code].code)).toContain(String(code));
  expect(page).toContain(`"messageBytesMax":${LIMITS.messageBytesMax},"heartbeatMs":${LIMITS.heartbeatMs}`);
  expect(page).toContain(`${LIMITS.messagesPerSecondMax} messages in a second`);
  expect(page).toContain(`${LIMITS.offencesMax} refusals in ${LIMITS.violationWindowMs / 1_000} s`);
  expect(page).toContain(`${LIMITS.joinsPerSocketMax} rains already`);
  expect(page).toContain(`no pong has come for ${LIMITS.pongMs / 1_000} s`);
  expect(page).toContain(SUBPROTOCOL);
});

test('what to do is told of every code and status of an order', () => {
  const section = page.slice(page.indexOf('## Buying in a sale'), page.indexOf('## Tickets'));
  for (const { code } of SALE_OUTCOMES_IN_ORDER) expect(section, code).toContain(`\`${code}\``);
  for (const status of ORDER_STATUSES) expect(section, status).toContain(`\`${status}\``);
});
