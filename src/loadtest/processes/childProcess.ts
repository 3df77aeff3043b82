import { endWithParent, sendReady } from '../../platform/process/ipc.ts';
import { signToken } from '../../platform/auth/token.ts';
import { order, type FromChild } from './processPool.ts';
import { playShare } from '../wave.ts';

/** Process entry: one of the processes of a wave. It receives its order once from `processPool.ts`, and ends when that process ends. */
const send = (message: FromChild) => { if (process.connected) process.send!(message); };
const stop = new AbortController();

process.on('message', (message) => {
  const received = order.parse(message);
  if (received.type === 'stop') return stop.abort();
  const { wave, token: { secret, expiresInSeconds, issuer, audience }, prefix, index, of, startedAt } = received;
  const names = { ...(issuer !== undefined && { issuer }), ...(audience !== undefined && { audience }) };
  const { arrivals, shares, reactionMs, retryPolicy, creditWaitMs, reachMs, connectsPerSecond, ...rest } = wave;
  void playShare({
    ...rest, ...(arrivals && { arrivals }), ...(shares && { shares }), ...(reactionMs && { reactionMs }), ...(retryPolicy && { retryPolicy }),
    ...(creditWaitMs !== undefined && { creditWaitMs }), ...(reachMs !== undefined && { reachMs }), ...(connectsPerSecond !== undefined && { connectsPerSecond }),
    signal: stop.signal, userId: (i) => `${prefix}${i}`, tokenFor: (sub) => signToken(secret, { sub, expiresInSeconds, ...names }),
    onProgress: (progress) => send({ type: 'progress', progress }),
  }, { index, of, begunMsAgo: performance.timeOrigin + performance.now() - startedAt }).then(
    ({ counters, clock }) => send({ type: 'done', record: counters.record(), clockErrorMs: clock.roundTripMs / 2 }),
    (error: unknown) => send({ type: 'failed', reason: error instanceof Error ? error.message : String(error) }),
  );
});
endWithParent(() => {});
await sendReady();
