import { describe, expect, test } from 'vitest';
import { openLiveFeeds } from '../../../src/console/live/liveFeeds.ts';

function openFeeds() {
  const feeds = openLiveFeeds<object>(() => ({ close: async () => {} }));
  return (id: string, name: string, role: 'viewer' | 'operator') =>
    feeds.watch(id, { name, role, show: () => {}, end: () => {} });
}
const watched = (watch: () => unknown, times: number) =>
  Array.from({ length: times }, watch).filter((place) => place !== undefined).length;

describe('[R10] live streams', () => {
  test('of one account are bounded, and its place is free again when it leaves', () => {
    const watch = openFeeds();
    const places = Array.from({ length: 30 }, () => watch('evening', 'vera', 'viewer'));
    expect(places.filter((place) => place !== undefined)).toHaveLength(20);
    expect(watch('evening', 'opal', 'operator')).toBeDefined();
    places[0]!.leave();
    places[0]!.leave();
    expect(watched(() => watch('evening', 'vera', 'viewer'), 2)).toBe(1);
  });

  test('of any number of viewers leave places to operators', () => {
    const watch = openFeeds();
    let account = 0;
    expect(watched(() => watch('evening', `viewer-${account++ % 40}`, 'viewer'), 400)).toBe(160);
    expect(watched(() => watch('evening', `operator-${account++ % 10}`, 'operator'), 100)).toBe(40);
  });

  test('of viewers who watch many rains leave rains to operators', () => {
    const watch = openFeeds();
    let rain = 0;
    expect(watched(() => watch(`rain-${rain++}`, `viewer-${rain % 5}`, 'viewer'), 60)).toBe(40);
    expect(watched(() => watch(`rain-${rain++}`, 'opal', 'operator'), 20)).toBe(10);
    expect(watch('rain-0', 'otto', 'operator'), 'one that somebody watches costs nothing more').toBeDefined();
  });
});
