import type { Throttle } from './bots/throttle.ts';

const PROGRESS_MS = 200;

/** A simulated user. */
interface Player {
  run(): Promise<unknown>;
  abort(): void;
}

export interface PlayOptions<Progress> {
  /** Called five times a second and once at the end, always with the same, growing object. */
  onProgress?: (progress: Readonly<Progress>) => void;
  /** Ends the play early. */
  signal?: AbortSignal;
  /** If no player has a socket by then, the play ends, ms; default: only the players' own limits count. */
  reachMs?: number;
}

/** The parts of one play that all its players share. */
interface Shared<Progress> {
  counters: { progress: Progress; welcomes: number };
  throttle: Throttle;
  /** Called when `reachMs` has passed without a socket. */
  onUnreached(reason: string): void;
  /** Called when the play ends early. */
  onAbort?(): void;
}

/** Waits until each player has ended. @throws what a player throws, when all others have ended */
export async function playAll<Progress>(
  players: readonly Player[],
  { onProgress, signal, reachMs }: PlayOptions<Progress>,
  { counters, throttle, onUnreached, onAbort }: Shared<Progress>,
): Promise<void> {
  const abort = () => {
    throttle.close();
    onAbort?.();
    for (const player of players) player.abort();
  };
  const ticker = onProgress && setInterval(() => onProgress(counters.progress), PROGRESS_MS);
  const runs = players.map((player) => player.run());
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  const reaching =
    reachMs === undefined
      ? undefined
      : setTimeout(() => {
          if (counters.welcomes > 0) return;
          onUnreached(`no answer within ${reachMs / 1_000} s`);
          abort();
        }, reachMs);
  try {
    await Promise.all(runs);
  } catch (fault) {
    abort();
    await Promise.allSettled(runs);
    throw fault;
  } finally {
    clearInterval(ticker);
    clearTimeout(reaching);
    throttle.close();
    signal?.removeEventListener('abort', abort);
  }
  onProgress?.(counters.progress);
}
