import { expect, onTestFinished, test, vi } from 'vitest';
import { Events } from '../../src/client/events.ts';

test('a listener receives the events of its name until it is removed', () => {
  const events = new Events<{ rain: number; wind: string }>();
  const heard: unknown[] = [];
  const stop = events.on('rain', (drops) => heard.push(drops));
  events.on('wind', (from) => heard.push(from));
  events.emit('rain', 1);
  events.emit('wind', 'east');
  stop();
  stop();
  events.emit('rain', 2);
  expect(heard).toEqual([1, 'east']);
});

test('a failing listener is reported, and affects neither the other listeners nor the emitter', () => {
  const later: (() => void)[] = [];
  vi.stubGlobal('queueMicrotask', (task: () => void) => later.push(task));
  onTestFinished(() => void vi.unstubAllGlobals());
  const events = new Events<{ rain: number }>();
  let heard = 0;
  events.on('rain', () => {
    throw new Error('wet');
  });
  events.on('rain', (drops) => {
    heard = drops;
  });
  events.emit('rain', 7);
  expect(heard).toBe(7);
  expect(later).toHaveLength(1);
  expect(later[0]).toThrow('wet');
});

test('a listener that removes another one during an event does not disturb the others', () => {
  const events = new Events<{ rain: number }>();
  const heard: string[] = [];
  const stops = [
    events.on('rain', () => {
      heard.push('first');
      stops[1]!();
    }),
    events.on('rain', () => heard.push('second')),
  ];
  events.emit('rain', 1);
  events.emit('rain', 2);
  expect(heard).toEqual(['first', 'second', 'first']);
});
