import { expect, onTestFinished, test, vi } from 'vitest';
import { onReturn } from '../../src/client/pageVisibility.ts';

test('reports that the device is online, or that the page is visible or comes from the cache, until the signal aborts', () => {
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
  // As browsers did before 2021: the option `signal` is not known.
  vi.stubGlobal('addEventListener', (type: string, listener: () => void) => window.addEventListener(type, listener));
  vi.stubGlobal('removeEventListener', window.removeEventListener.bind(window));
  vi.stubGlobal('document', document);
  onTestFinished(() => void vi.unstubAllGlobals());
  let returns = 0;
  const stop = new AbortController();
  onReturn(() => {
    returns++;
  }, stop.signal);
  const online = () => window.dispatchEvent(new Event('online'));
  const look = (visibilityState: string) => {
    Object.assign(document, { visibilityState });
    document.dispatchEvent(new Event('visibilitychange'));
  };
  online();
  expect(returns).toBe(1);
  look('hidden');
  expect(returns).toBe(1);
  look('visible');
  expect(returns).toBe(2);
  const show = (persisted: boolean) => window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
  show(false);
  expect(returns).toBe(2);
  show(true);
  expect(returns).toBe(3);
  stop.abort();
  online();
  show(true);
  look('visible');
  expect(returns).toBe(3);
});

test('where there is no page nothing is listened to', () => {
  expect(() => onReturn(() => {}, new AbortController().signal)).not.toThrow();
});
