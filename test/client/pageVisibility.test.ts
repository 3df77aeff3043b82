import { expect, onTestFinished, test, vi } from 'vitest';
import { onReturn } from '../../src/client/pageVisibility.ts';

test('reports that the device is online or the page is visible, until the signal aborts', () => {
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: 'hidden' });
  vi.stubGlobal('addEventListener', window.addEventListener.bind(window));
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
  stop.abort();
  online();
  look('visible');
  expect(returns).toBe(2);
});

test('where there is no page nothing is listened to', () => {
  expect(() => onReturn(() => {}, new AbortController().signal)).not.toThrow();
});
