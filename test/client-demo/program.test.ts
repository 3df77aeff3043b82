import { expect, test } from 'vitest';
import { Program, type Announced, type Current } from '../../client-demo/src/hall/program.ts';

const NOW = 1_900_000_000_000;
const S = 1_000;

const rain = (id: string, opensIn: number, change: Partial<Announced> = {}): Announced => ({
  kind: 'rain',
  id,
  title: id,
  state: 'loaded',
  opensAt: NOW + opensIn,
  closesAt: NOW + opensIn + 600 * S,
  ...change,
});
const sale = (id: string, opensIn: number, change: Partial<Announced> = {}): Announced =>
  rain(id, opensIn, { kind: 'sale', ...change });
const over = (one: Announced, agoMs: number): Current => ({ ...one, phase: 'over', endedAt: NOW - agoMs });

test.each([
  ['the earliest that is planned', [rain('r2', 90 * S), sale('s1', 60 * S), rain('r1', 70 * S)], 's1'],
  ['a sale that is open before a rain that is planned', [rain('r1', 60 * S), sale('s1', -S)], 's1'],
  ['a rain that is open before a sale that is open', [sale('s1', -90 * S), rain('r1', -S)], 'r1'],
  ['a rain that is about to start before a sale that is open', [sale('s1', -90 * S), rain('r1', 10 * S)], 'r1'],
  ['what is open before what is paused', [rain('r1', -90 * S, { state: 'paused' }), sale('s1', -S)], 's1'],
  ['what is paused before what is planned', [rain('r1', 60 * S), rain('r2', -S, { state: 'paused' })], 'r2'],
  [
    'nothing that is over or only planned without a date',
    [
      rain('r1', -S, { state: 'closed' }),
      sale('s1', -S, { state: 'settled' }),
      rain('r2', -S, { state: 'draft' }),
      rain('r3', -700 * S),
    ],
    undefined,
  ],
])('an empty screen takes %s', (_what, announced, id) => {
  const program = new Program();
  for (const one of announced) program.update(one);
  expect(program.takesOver(undefined, NOW)?.id).toBe(id);
});

test('what is ahead gives way to what comes earlier, what is on only to a rain, a rain to nothing', () => {
  const [late, early, open, due] = [
    rain('late', 300 * S),
    sale('early', 100 * S),
    sale('open', -S),
    rain('due', 10 * S),
  ];
  const program = new Program();
  program.update(late);
  expect(program.takesOver({ ...late, phase: 'ahead' }, NOW)).toBeUndefined();
  program.update(early);
  expect(program.takesOver({ ...late, phase: 'ahead' }, NOW)?.id).toBe('early');
  expect(program.takesOver({ ...early, phase: 'ahead' }, NOW)).toBeUndefined();
  program.update(open);
  expect(program.takesOver({ ...early, phase: 'on' }, NOW), 'another sale').toBeUndefined();
  program.update(due);
  expect(program.takesOver({ ...open, phase: 'on' }, NOW)?.id).toBe('due');
  expect(program.takesOver({ ...late, phase: 'on' }, NOW)).toBeUndefined();
});

test.each([
  ['a rain that is open: at once', rain('next', -S), 0, true],
  ['a rain that is far: not yet', rain('next', 30 * S), 60 * S, false],
  ['a rain that is far: when the end has been on the screen for long', rain('next', 600 * S), 180 * S, true],
  ['a rain that is near: when the end has been seen', rain('next', 10 * S), 9 * S, true],
  ['a rain that is near: not before', rain('next', 10 * S), 7 * S, false],
  ['a sale that is near: earlier, since people have to scan it', sale('next', 50 * S), 9 * S, true],
  ['a sale that opened meanwhile: when the end has been seen', sale('next', -S), 9 * S, true],
  ['a sale that was open before: later', sale('next', -60 * S), 9 * S, false],
  ['a sale that was open before: after half a minute', sale('next', -60 * S), 30 * S, true],
])('the end gives way to %s', (_what, next, agoMs, gives) => {
  const ended = rain('ended', -300 * S);
  const program = new Program();
  for (const one of [ended, next]) program.update(one);
  expect(program.takesOver(over(ended, agoMs), NOW)?.id).toBe(gives ? 'next' : undefined);
});

test('the end of a rehearsal gives way to the countdown of the first rain after half a minute', () => {
  const program = new Program();
  program.update(rain('next', 3_600 * S));
  const ended = rain('ended', -300 * S);
  for (const [agoMs, gives] of [
    [29 * S, undefined],
    [30 * S, 'next'],
  ] as const)
    expect(program.takesOver({ ...ended, phase: 'over', endedAt: NOW - agoMs, rehearsal: true }, NOW)?.id).toBe(gives);
});

test('what has been on the screen to its end does not come back, and neither does what is not listed any more', () => {
  const program = new Program();
  program.update(rain('r1', -60 * S));
  program.finish({ kind: 'rain', id: 'r1' });
  expect(program.next(undefined, NOW)).toBeUndefined();
  program.update(sale('s1', 60 * S));
  program.list('rain', [rain('r2', 90 * S)]);
  expect(program.next(undefined, NOW)?.id).toBe('s1');
  program.list('sale', []);
  expect(program.next(undefined, NOW)?.id).toBe('r2');
});
