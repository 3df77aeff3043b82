import type { RandomSource } from '../../rain/fairness.ts';

/** Messages that a cheater sends in between: none of them may win or cause damage. */
const FORGERIES: ((rainId: string, random: RandomSource) => string | Buffer)[] = [
  (rainId) => JSON.stringify({ type: 'grab', rainId, userId: 'bot-0' }),
  (rainId) => JSON.stringify({ type: 'grab', rainId, amount: '9999.99', redPacketId: `${rainId}.0` }),
  (rainId) => JSON.stringify({ type: 'result', rainId, code: '0', redPacketId: `${rainId}.0`, amount: '9999.99' }),
  (rainId) => JSON.stringify({ type: 'grab', rainId: `${rainId}:claimed` }),
  (rainId) => JSON.stringify({ type: 'grab', rainId: { $ne: rainId } }),
  (rainId) => `{"type":"grab","rainId":"${rainId}"`,
  () => '\u0000'.repeat(64),
  () => '[]',
  (_rainId, random) => Buffer.from(Array.from({ length: 32 }, () => random.belowNumber(256))),
];
/** Percentage of forged frames; the others are grabs at a too high rate. */
const FORGED_PERCENT = 2;

export function forge(rainId: string, random: RandomSource): string | Buffer {
  if (random.belowNumber(100) >= FORGED_PERCENT) return JSON.stringify({ type: 'grab', rainId, ref: String(random.belowNumber(1_000_000)) });
  return FORGERIES[random.belowNumber(FORGERIES.length)]!(rainId, random);
}
