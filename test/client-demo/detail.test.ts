import { describe, expect, test } from 'vitest';
import { detailOf } from '../../client-demo/src/detail.ts';
import { goneWithin, newRound, seen, type Round } from '../../client-demo/src/round.ts';
import { wordsFor } from '../../client-demo/src/words/language.ts';
import { NOW, snapshot } from './scriptedClient.ts';

const [en, zh] = [wordsFor(['en']), wordsFor(['zh'])];
const view = { winners: [] };

/** Snapshots of a rain that opened at NOW: the seconds since then, and what was left. */
const heard = (...snapshots: [second: number, left: number, packets?: number][]): Round =>
  snapshots.reduce(
    (round, [second, left, packets = 20]) =>
      seen(round, snapshot('r', { opensAt: NOW, serverTime: NOW + second * 1_000, left, packets })),
    newRound('r'),
  );

describe('how fast the packets were gone', () => {
  test.each<[string, Round, number | undefined]>([
    ['a page that was there before the start', heard([-600, 20], [0.9, 0]), 1],
    ['rounded up', heard([0.5, 20], [1.5, 7], [3.1, 0]), 4],
    ['the first message that nothing is left counts', heard([2, 3], [2.5, 0], [60, 0]), 3],
    ['a page that came when nothing was left cannot tell', heard([3, 0]), undefined],
    ['a page that was away meanwhile cannot tell', heard([2, 3], [60, 0]), undefined],
    ['packets are left', heard([2, 3]), undefined],
    ['packets were added, and gone again', heard([2, 3], [3, 0], [30, 10, 40], [31, 0, 40]), 31],
    ['a rain that was closed before its start', heard([-5, 20], [-4, 0]), undefined],
    ['nothing was heard', newRound('r'), undefined],
  ])('%s', (_what, round, seconds) => {
    expect(goneWithin(round)).toBe(seconds);
  });
});

describe('the sentences below the headline', () => {
  test('a player who missed hears how many packets there were, how fast they were gone, and what comes next', () => {
    const ahead = { title: 'Second rain', seconds: 60 };
    expect(detailOf({ ...view, face: 'missed', gone: { packets: 2_000, seconds: 3 } }, en)).toBe(
      'The last packet was gone before your tap arrived. All 2,000 packets were gone within 3 seconds. When the next rain is announced, it appears here.',
    );
    expect(
      detailOf({ ...view, face: 'gone', gone: { packets: 20 }, ahead }, en),
      'the next rain is offered below',
    ).toBe('All 20 packets have been won.');
    expect(detailOf({ ...view, face: 'gone', gone: { packets: 1, seconds: 1 }, ahead }, en)).toBe(
      'The only packet was gone within a second.',
    );
    expect(detailOf({ ...view, face: 'gone', gone: { packets: 20, seconds: 125 }, ahead }, en)).toBe(
      'All 20 packets were gone within 3 minutes.',
    );
    expect(detailOf({ ...view, face: 'gone', gone: { packets: 20, seconds: 2 } }, zh)).toBe(
      '本场 20 个红包在 2 秒内全部抢完。下一场公布后会显示在这里。',
    );
  });

  test('a rain that is hours away has its date and time', () => {
    const opensAt = new Date(2026, 1, 17, 20, 0).getTime();
    expect(detailOf({ ...view, face: 'scheduled', seconds: 7_200, opensAt }, en)).toMatch(
      /^It starts on Tue, Feb 17, 0?8:00.PM\.$/,
    );
    expect(detailOf({ ...view, face: 'scheduled', seconds: 7_200, opensAt }, zh)).toMatch(/^2月17日周二.20:00 开始。$/);
    expect(detailOf({ ...view, face: 'scheduled', seconds: 600, opensAt }, en)).toBe(en.detail.scheduled);
  });
});

test('a greeting is said by its sender, as far as it has one', () => {
  expect(
    [{ sender: 'the board', blessing: 'Happy new year' }, { sender: 'the board' }, { blessing: 'Happy new year' }].map(
      (one) => en.greeting(one),
    ),
  ).toEqual(['From the board: Happy new year', 'From the board', 'Happy new year']);
  expect([{ sender: '董事会', blessing: '新年快乐' }, { sender: '董事会' }].map((one) => zh.greeting(one))).toEqual([
    '董事会：新年快乐',
    '来自董事会',
  ]);
});
