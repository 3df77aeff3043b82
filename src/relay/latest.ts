/**
 * Sends the latest of each name: the first at once, then one per pause at most. A message that is replaced meanwhile is
 * never sent.
 */
export function createLatest(everyMs: number) {
  /** Names whose pause is not over, with what is to be sent at its end. */
  const resting = new Map<string, (() => Promise<void>) | undefined>();
  function rest(name: string): void {
    resting.set(name, undefined);
    // The timer must not keep the process alive.
    setTimeout(() => {
      const send = resting.get(name);
      if (!send) return void resting.delete(name);
      rest(name);
      // Only a sample is lost; the next one comes.
      send().catch(() => {});
    }, everyMs).unref();
  }
  return {
    /** @throws the error of `send`, if it is sent at once */
    async put(name: string, send: () => Promise<void>): Promise<void> {
      if (resting.has(name)) return void resting.set(name, send);
      rest(name);
      await send();
    },
  };
}
