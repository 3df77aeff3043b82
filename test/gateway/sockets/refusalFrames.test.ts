import { expect, test } from 'vitest';
import { frameOf } from '../../../src/gateway/sockets/frame.ts';
import { REFUSAL_FRAMES_MAX } from '../../../src/gateway/sockets/limits.ts';
import { RefusalFrames } from '../../../src/gateway/sockets/refusalFrames.ts';
import { orderFrame, resultFrame } from '../../../src/protocol/codec.ts';
import { OUTCOMES_IN_ORDER } from '../../../src/protocol/outcomes.ts';
import { SALE_OUTCOMES_IN_ORDER, type SaleOutcomeCode } from '../../../src/protocol/saleOutcomes.ts';

const refs = [
  undefined,
  '',
  'a',
  'A_b-1.2',
  'x'.repeat(64),
  '~',
  '~~',
  '"',
  'a\\b',
  '红包',
  '🧧',
  'é',
  '$&',
  '"},{"code":"0"',
];

test('the frame of a refusal is the text of its rain, ref and code, the first time and later', () => {
  const frames = new RefusalFrames(resultFrame);
  for (const round of [1, 2]) {
    for (const rainId of ['r', 'rain', 'camp.12', 'x'.repeat(64)]) {
      for (const { code } of OUTCOMES_IN_ORDER) {
        for (const ref of refs)
          expect(
            frames.of(rainId, ref, code).equals(frameOf(resultFrame(rainId, ref, code))),
            `${round} ${rainId} ${ref} ${code}`,
          ).toBe(true);
      }
    }
  }
});

test('the same of a sale, also where the ref makes the frame longer than 125 bytes', () => {
  const frames = new RefusalFrames(orderFrame);
  const lengths = new Set<number>();
  for (const { code } of SALE_OUTCOMES_IN_ORDER) {
    for (let length = 0; length <= 64; length++) {
      const frame = frames.of('new-year.3', 'r'.repeat(length), code);
      expect(frame.equals(frameOf(orderFrame('new-year.3', 'r'.repeat(length), code)))).toBe(true);
      lengths.add(frame[1]!);
    }
  }
  expect([...lengths]).toEqual(expect.arrayContaining([124, 125, 126]));
});

test('[R10] not more frames are kept than allowed, and one that was dropped is written again', () => {
  let written = 0;
  const frames = new RefusalFrames<SaleOutcomeCode>((...of) => {
    written++;
    return orderFrame(...of);
  });
  const ask = (from: number, to: number) => {
    for (let i = from; i < to; i++) frames.of(`s${i}`, 'mine', '-1');
  };
  ask(0, 1);
  const each = written;
  ask(0, REFUSAL_FRAMES_MAX);
  ask(0, REFUSAL_FRAMES_MAX);
  expect(written, 'once each').toBe(REFUSAL_FRAMES_MAX * each);
  ask(REFUSAL_FRAMES_MAX, REFUSAL_FRAMES_MAX + 1);
  ask(0, 1);
  expect(written, 'one too many: the earlier ones are dropped').toBe((REFUSAL_FRAMES_MAX + 2) * each);
  expect(String(frames.of('s0', 'mine', '-1').subarray(2))).toBe(orderFrame('s0', 'mine', '-1'));
});
