import { expect, test } from 'vitest';
import { afterRepeat, filesToRepeat, speaksOfMoney, type Failure, type RunRecord } from './runRecord.ts';

const failed = (title: string, message: string, file: string | undefined = 'a.test.ts'): Failure => ({
  file,
  title,
  messages: [message],
});

test('failures that speak of money or goods are known', () => {
  for (const text of [
    'alice was paid twice',
    'expected { lost: 1, doubled: 0 } to deeply equal { lost: 0, doubled: 0 }',
    '[R5] an interrupted job',
    '[R13] a shard that ran dry',
    'a false no',
    '3 orders were untold',
    'Credits are invented',
    'the balance is 12.21',
    'more units than the stock were sold',
    'u1 was told r:0:1, which is not in the claim log: never won',
  ]) {
    expect(speaksOfMoney(failed(text, '')), text).toBe(true);
    expect(speaksOfMoney(failed('a start', text)), text).toBe(true);
  }
  for (const text of [
    'Test timed out in 60000ms.',
    'expected 502 to be 200',
    '[R10] a queue is bounded',
    'a bell of a repaid',
  ])
    expect(speaksOfMoney(failed(text, '')), text).toBe(false);
});

test('an error that belongs to no file is final', () => {
  expect(
    filesToRepeat({ files: {}, failures: [failed('a', 'slow', undefined)].map((f) => ({ ...f, file: undefined })) }),
  ).toEqual([]);
  expect(filesToRepeat({ files: {}, failures: [failed('a', 'slow'), failed('b', 'slow')] })).toEqual(['a.test.ts']);
});

test('a file that the second run did not reach has failed still', () => {
  const first: RunRecord = { files: { 'a.test.ts': { passed: 1, skipped: 0 } }, failures: [failed('a', 'slow')] };
  expect(afterRepeat(first, { files: {}, failures: [] })).toEqual({ record: first, flaky: [] });
});
