import type { Server, ServerResponse } from 'node:http';
import { deliveriesOf } from '../platform/network/delivery.ts';

/** Each limit protects this process from visitors who ask and do not read [R10]. */
const LIMITS = {
  /** A phone on a line of 20 KB/s acknowledges something every seven seconds at worst. */
  silentMsMax: 15_000,
  /** Where the system does not say how much was read: at 20 KB/s its buffers take so long to show it. */
  silentMsMaxUnseen: 200_000,
  bytesPerSecondMin: 4_096,
  /** From when on the rate counts. */
  startMsMax: 30_000,
  checkMs: 3_000,
} as const;

export type UnreadLimits = Record<keyof typeof LIMITS, number>;

interface Progress {
  /** Since when bytes wait without a pause, and how many were acknowledged then. */
  since: number;
  from: number;
  acknowledged: number;
  movedAt: number;
}

/**
 * Cuts answers of any kind and length whose peer reads nothing for a while, or next to nothing. Answers that are still
 * being made, and streams that have said all, wait for nobody.
 */
export function cutUnreadAnswers(server: Server, limits: UnreadLimits = LIMITS): void {
  const open = new Map<ServerResponse, Progress | undefined>();
  server.on('request', (_request, answer: ServerResponse) => {
    open.set(answer, undefined);
    answer.once('close', () => open.delete(answer));
  });

  async function check(): Promise<void> {
    const sockets = [...open.keys()].flatMap(({ socket }) => socket ?? []);
    if (sockets.length === 0) return;
    const deliveries = await deliveriesOf(sockets);
    const silentMsMax = deliveries.seesSystem ? limits.silentMsMax : limits.silentMsMaxUnseen;
    const now = performance.now();
    for (const [answer, before] of open) {
      const delivery = answer.socket && deliveries.of(answer.socket);
      if (!delivery) continue;
      const { acknowledged, waiting } = delivery;
      if (waiting === 0 || !before) {
        open.set(answer, { since: now, from: acknowledged, acknowledged, movedAt: now });
        continue;
      }
      if (acknowledged > before.acknowledged) Object.assign(before, { acknowledged, movedAt: now });
      const [silentMs, openMs] = [now - before.movedAt, now - before.since];
      const isSlow =
        openMs > limits.startMsMax && before.acknowledged - before.from < (openMs / 1_000) * limits.bytesPerSecondMin;
      // Reset: closed in order, the system would keep the bytes for minutes.
      if (silentMs > silentMsMax || isSlow) answer.socket?.resetAndDestroy();
    }
  }

  let checking = false;
  const checks = setInterval(() => {
    if (checking) return;
    checking = true;
    void check().finally(() => {
      checking = false;
    });
  }, limits.checkMs);
  checks.unref();
  server.once('close', () => clearInterval(checks));
}
