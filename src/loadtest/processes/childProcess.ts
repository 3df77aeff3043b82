import { endWithParent, sendReady } from '../../platform/process/ipc.ts';
import { signToken } from '../../platform/auth/token.ts';
import type { FromChild, Order } from './processPool.ts';
import { playShare } from '../wave.ts';

/**
 * Process entry: one of the processes of a wave. It receives its order once from `processPool.ts`, and ends when that
 * process ends.
 */
const send = (message: FromChild) => {
  if (process.connected) process.send!(message);
};

process.on('message', ({ wave, token: { secret, ...claims }, prefix, index, of, startedAt }: Order) => {
  void playShare(
    {
      ...wave,
      userId: (i) => `${prefix}${i}`,
      tokenFor: (sub) => signToken(secret, { sub, ...claims }),
      onProgress: (progress) => send({ type: 'progress', progress }),
    },
    { index, of, begunMsAgo: performance.timeOrigin + performance.now() - startedAt },
  ).then(
    ({ counters, clockErrorMs }) => send({ type: 'done', record: counters.record(), clockErrorMs }),
    (error: unknown) => send({ type: 'failed', reason: error instanceof Error ? error.message : String(error) }),
  );
});
endWithParent(() => {});
await sendReady();
