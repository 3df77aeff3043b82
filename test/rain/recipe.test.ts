import { createCipheriv, createHash, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { canonicalText, commitmentOf, verifyFairness } from '../../src/rain/commitment.ts';

const PAGE = readFileSync(new URL('../../docs/reference/fairness-recipe.md', import.meta.url), 'utf8');

interface Example {
  rainId: string;
  seed: string;
  plan: { budget: string; packets: number; split: { method: 'tiers'; tiers: { count: number; amount: string }[] } };
  shards: number;
}

/** The indented lines under the words `**<name>**`. */
function shown(name: string): string {
  const block = new RegExp(`\\*\\*${name}\\*\\*[^\\n]*\\n\\n((?: {4}[^\\n]*\\n)+)`).exec(PAGE);
  if (!block) throw new Error(`docs/reference/fairness-recipe.md shows no ${name}`);
  return block[1]!.trim().replace(/\n {4}/g, '\n');
}

const example = JSON.parse(shown('Given')) as Example;

// The recipe once more, from what the page says and from Node's own cryptography: nothing here is the product's.

function stream(seed: string, purpose: string) {
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(seed, 'hex'), 'red-packet-rain/v1', purpose, 32));
  const keystream = createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(4_096));
  let at = 0;
  const word = () => BigInt(keystream.readUInt32LE((at += 4) - 4));
  const below = (n: bigint): bigint => {
    const wide = n > 2n ** 32n;
    const range = wide ? 2n ** 53n : 2n ** 32n;
    for (;;) {
      const drawn = wide ? (word() >> 11n) * 2n ** 32n + word() : word();
      if (drawn < range - (range % n)) return drawn % n;
    }
  };
  return { key, keystream, below };
}

const cents = (amount: string) => BigInt(amount.replace('.', ''));
const money = (amount: bigint) => `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
const smaller = (a: bigint, b: bigint) => (a < b ? a : b);

function packets({ seed, plan }: Example): { filled: bigint[]; shuffled: bigint[] } {
  const filled = plan.split.tiers.flatMap(({ count, amount }) => Array.from({ length: count }, () => cents(amount)));
  const [min, max] = [1n, cents(plan.budget)];
  let left = filled.reduce((rest, amount) => rest - amount, cents(plan.budget));
  const draw = stream(seed, 'amounts').below;
  for (let n = BigInt(plan.packets - filled.length); n > 0n; n--) {
    const most = left - (n - 1n) * max;
    const lowest = most > min ? most : min;
    const highest = smaller(smaller((2n * left) / n - min, max), left - (n - 1n) * min);
    filled.push(lowest + draw(highest - lowest + 1n));
    left -= filled.at(-1)!;
  }
  const shuffled = [...filled];
  const place = stream(seed, 'order').below;
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Number(place(BigInt(last + 1)));
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return { filled, shuffled };
}

test("the figures of docs/reference/fairness-recipe.md follow from what it says, computed without this project's code", () => {
  const { rainId, seed, plan, shards } = example;
  const tiers = plan.split.tiers.map(({ count, amount }) => `{"amount":"${amount}","count":${count}}`).join();
  const text =
    `{"plan":{"budget":"${plan.budget}","packets":${plan.packets},"split":{"method":"tiers","tiers":[${tiers}]}},"rainId":"${rainId}",` +
    `"seed":"${seed}","shards":${shards},"version":"red-packet-rain/v1"}`;
  expect(shown('Canonical text')).toBe(text);
  expect(shown('Commitment')).toBe(createHash('sha256').update(text).digest('hex'));
  for (const purpose of ['amounts', 'order']) {
    const { key, keystream } = stream(seed, purpose);
    expect(shown(`Key for ${purpose}`)).toBe(key.toString('hex'));
    expect(shown(`First bytes for ${purpose}`)).toBe(keystream.subarray(0, 32).toString('hex'));
  }
  const { filled, shuffled } = packets(example);
  expect(shown('Amounts as drawn')).toBe(filled.map(money).join('  '));
  expect(shown('Packets')).toBe(shuffled.map((amount, index) => `${rainId}-${index}  ${money(amount)}`).join('\n'));
});

test('and the product computes the same', () => {
  expect(canonicalText(example)).toBe(shown('Canonical text'));
  expect(commitmentOf(example)).toBe(shown('Commitment'));
  const verdict = verifyFairness({ ...example, commitment: shown('Commitment') });
  expect(verdict.outcome === 'ok' && [...verdict.allocation]).toEqual(packets(example).shuffled);
});
