import { expect, test } from 'vitest';
import { checkEpochs } from '../../../src/operator/doctor/stores.ts';

const LEDGER = { storeId: 'a', counter: 40 };
const verdictOf = (redis: { storeId?: string; counter?: number | undefined; comparedRunId?: string }) => {
  const { subject, verdict } = checkEpochs(
    { storeId: 'a', counter: 40, runId: 'r', comparedRunId: 'r', ...redis },
    LEDGER,
  );
  return `${subject} ${verdict}`;
};

test('the older store is named, whichever it is; a step of a worker between the two reads makes none older', () => {
  expect([verdictOf({}), verdictOf({ counter: 39 }), verdictOf({ counter: undefined })]).toEqual([
    'redis ok',
    'redis ok',
    'redis ok',
  ]);
  expect([verdictOf({ counter: 41 }), verdictOf({ counter: 900 })]).toEqual(['database wrong', 'database wrong']);
  expect([verdictOf({ counter: 3 }), verdictOf({ storeId: 'b' })]).toEqual(['redis wrong', 'redis wrong']);
  expect(verdictOf({ comparedRunId: 'q' })).toBe('redis warning');
});
