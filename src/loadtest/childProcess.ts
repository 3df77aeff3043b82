import { endWithParent, tellReady } from '../platform/process/ipc.ts';
import { signToken } from '../platform/auth/token.ts';
import { order, type FromChild } from './processPool.ts';
import { playShare } from './wave.ts';

/** Process entry: one of the processes that a wave is played by. It is told what to do by `parts.ts`, once, and ends when that is gone. */
const tell = (message: FromChild) => { if (process.connected) process.send!(message); };
const stop = new AbortController();

process.on('message', (message) => {
  const given = order.parse(message);
  if (given.type === 'stop') return stop.abort();
  const { wave, token: { secret, expiresInSeconds, issuer, audience }, prefix, index, of, startedAt } = given;
  const names = { ...(issuer !== undefined && { issuer }), ...(audience !== undefined && { audience }) };
  const { arrivals, shares, reactionMs, retryPolicy, creditWaitMs, reachMs, connectsPerSecond, ...rest } = wave;
  void playShare({
    ...rest, ...(arrivals && { arrivals }), ...(shares && { shares }), ...(reactionMs && { reactionMs }), ...(retryPolicy && { retryPolicy }),
    ...(creditWaitMs !== undefined && { creditWaitMs }), ...(reachMs !== undefined && { reachMs }), ...(connectsPerSecond !== undefined && { connectsPerSecond }),
    signal: stop.signal, userId: (i) => `${prefix}${i}`, tokenFor: (sub) => signToken(secret, { sub, expiresInSeconds, ...names }),
    onProgress: (progress) => tell({ type: 'progress', progress }),
  }, { index, of, begunMsAgo: performance.timeOrigin + performance.now() - startedAt }).then(
    ({ counters, clock }) => tell({ type: 'done', record: counters.record(), clockErrorMs: clock.roundTripMs / 2 }),
    (error: unknown) => tell({ type: 'failed', reason: error instanceof Error ? error.message : String(error) }),
  );
});
endWithParent(() => {});
await tellReady();
