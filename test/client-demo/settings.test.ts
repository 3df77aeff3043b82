import { expect, test } from 'vitest';
import { openSetting } from '../../client-demo/src/settings.ts';

function storage(kept = new Map<string, string>()): () => Storage {
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      kept.set(key, value);
    },
  } as unknown as Storage;
  return () => store;
}

test('a setting is on until it is turned off, and is remembered by the next visit', () => {
  const store = storage();
  const sound = openSetting('sound', store);
  expect(sound.on).toBe(true);
  expect(sound.turn()).toBe(false);
  expect([sound.on, openSetting('sound', store).on, openSetting('buzz', store).on]).toEqual([false, false, true]);
  expect(openSetting('sound', store).turn()).toBe(true);
  expect(openSetting('sound', store).on).toBe(true);
});

test('a setting works in a browser that stores nothing, or does not even show its storage', () => {
  const forbidden = () => {
    throw new Error('SecurityError');
  };
  for (const refusing of [() => ({ getItem: forbidden, setItem: forbidden }) as unknown as Storage, forbidden]) {
    const sound = openSetting('sound', refusing);
    expect([sound.on, sound.turn(), sound.on]).toEqual([true, false, false]);
  }
});
