import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newDraft, newId, requestsOf } from '../../client-console/src/screens/create/draft.ts';
import { checkableRequest, newSaleDraft } from '../../client-console/src/screens/create-sale/draft.ts';
import { clockAheadMs } from '../../client-console/src/state/request.ts';
import { moment } from '../../src/operator/window.ts';
import { plainRainId } from '../../src/rain/ids.ts';

const SENT_AT = Date.parse('2027-01-20T12:00:00Z');
/** How far the operator's clock is behind, and how long an answer takes, ms. */
const clocks = fc.record({
  behindMs: fc.integer({ min: -86_400_000, max: 86_400_000 }),
  tookMs: fc.integer({ min: 0, max: 60_000 }),
});

test('forms that an operator whose clock is off opens have an id and times that the console accepts', () => {
  fc.assert(
    fc.property(clocks, ({ behindMs, tookMs }) => {
      const date = new Date(SENT_AT + behindMs + tookMs / 2).toUTCString();
      const now = SENT_AT + tookMs + clockAheadMs(date, SENT_AT, SENT_AT + tookMs)!;
      for (const { id, opensAt, closesAt } of [
        ...requestsOf(newDraft(now), now),
        checkableRequest(newSaleDraft(now), now),
      ]) {
        expect([plainRainId.safeParse(id), moment.safeParse(opensAt), moment.safeParse(closesAt)]).toMatchObject([
          { success: true },
          { success: true },
          { success: true },
        ]);
      }
      expect(Math.abs(now - (SENT_AT + behindMs + tookMs))).toBeLessThanOrEqual(1_500 + tookMs / 2 + 500);
    }),
  );
});

test('an id is valid whatever fraction the time has', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 8.64e15, noNaN: true }), (now) => plainRainId.safeParse(newId(now)).success),
  );
});

test('a small difference is ignored, and an answer without a date says nothing', () => {
  expect([
    clockAheadMs(null, 0, 1),
    clockAheadMs('soon', 0, 1),
    clockAheadMs(new Date(SENT_AT).toUTCString(), SENT_AT, SENT_AT + 400),
  ]).toEqual([undefined, undefined, 0]);
});
