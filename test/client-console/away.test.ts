import { expect, test } from 'vitest';
import { AwayWatch, isAway } from '../../client-console/src/state/awayWatch.ts';

test('several requests that lose the server are one loss, which is over when the last has its answer', () => {
  const watch = new AwayWatch();
  const told: (string | undefined)[] = [];
  const silent = watch.subscribe(() => told.push(watch.current?.code));
  const [one, other] = [{}, {}];
  watch.note(one, undefined, 1);
  watch.note(one, 'unreachable', 2);
  watch.note(other, 'unavailable', 3);
  watch.note(one, 'unreachable', 4);
  expect([told, watch.current]).toEqual([['unreachable'], { code: 'unreachable', since: 2 }]);
  watch.note(one, undefined, 5);
  expect(watch.current).toEqual({ code: 'unavailable', since: 2 });
  watch.note(other, 'refused', 6);
  expect([told, watch.current]).toEqual([['unreachable', undefined], undefined]);
  silent();
  watch.note(one, 'unreachable', 7);
  expect(told).toHaveLength(2);
});

test('a refusal is an answer', () => {
  expect([isAway(undefined), isAway({ code: 'refused' }), isAway({ code: 'unavailable' })]).toEqual([
    false,
    false,
    true,
  ]);
});
