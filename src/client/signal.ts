/**
 * The part of an `AbortSignal` that is used, written out: neither every browser's nor every app's types have all of it.
 */
export interface Signal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** @throws the signal's reason */
export function throwIfAborted(signal: Signal | undefined): void {
  if (signal?.aborted) throw signal.reason as Error;
}
