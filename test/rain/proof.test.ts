import { expect, test } from 'vitest';
import { commitmentOf } from '../../src/rain/commitment.ts';
import { checkProof, proof } from '../../src/rain/proof.ts';

const SHOWN = {
  rainId: 'even',
  seed: 'ab'.repeat(32),
  plan: { budget: '5.00', packets: 5, split: { method: 'even' } },
};
const PROOF = { ...SHOWN, commitment: commitmentOf({ ...SHOWN, shards: 1 }) };
const RECEIPT = { rainId: 'even', redPacketId: 'even-4', amount: '1.00' };

test.each<[string, object, number, (string | RegExp)[]]>([
  ['without receipts holds, one shard being meant', {}, 5, []],
  ['with receipts that hold', { receipts: [RECEIPT, { ...RECEIPT, type: 'credited' }] }, 5, []],
  ['as the last message of a settled rain has it', { type: 'rain', state: 'settled', left: 3, shards: 1 }, 5, []],
  [
    'with a receipt of another amount',
    { receipts: [{ ...RECEIPT, amount: '1.01' }] },
    5,
    ['the receipt for even-4 says 1.01, promised was 1.00'],
  ],
  ['with other shards', { shards: 2 }, 0, [/^the commitment is [0-9a-f]{64}, but seed and plan hash to [0-9a-f]{64}$/]],
  ['with a seed that is none', { seed: '' }, 0, [/^seed: expected a seed of 64 hex digits/]],
  [
    'with a plan that cannot be carried out',
    { plan: { budget: '5.00', packets: 0 } },
    0,
    [/^plan\.packets: 0 packets/],
  ],
  ['without a plan', { plan: undefined }, 0, [/^plan\.plan: /]],
])('a proof %s', (_, change, packets, problems) => {
  const checked = checkProof(proof.parse({ ...PROOF, ...change }));
  expect(checked.packets).toBe(packets);
  expect(checked.problems).toEqual(
    problems.map((problem) => (typeof problem === 'string' ? problem : (expect.stringMatching(problem) as string))),
  );
});
