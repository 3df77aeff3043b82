const ANSWER_MS_MAX = 8_000;
const SHOWN = 3;

/** The largest packets of a rain. */
export interface Luckiest {
  /** `user` is masked by the server. `amount` is a decimal string such as "12.21". */
  luckiest: { user: string; amount: string }[];
  /** The list will not change any more. */
  final: boolean;
}

/** @throws if it cannot be read now */
export async function readLuckiest(rainId: string): Promise<Luckiest> {
  const answer = await fetch(`api/rains/${encodeURIComponent(rainId)}/luckiest`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  const found = toLuckiest(answer.ok ? await answer.json() : undefined);
  if (!found) throw new Error(`no luckiest: ${answer.status}`);
  return found;
}

/** @returns `undefined` if the value is no leaderboard */
export function toLuckiest(value: unknown): Luckiest | undefined {
  if (typeof value !== 'object' || value === null || !('luckiest' in value) || !Array.isArray(value.luckiest)) return undefined;
  const luckiest = (value.luckiest as unknown[]).flatMap((one) => {
    const { user, amount } = (one ?? {}) as { user?: unknown; amount?: unknown };
    return typeof user === 'string' && typeof amount === 'string' ? [{ user, amount }] : [];
  });
  return { luckiest: luckiest.slice(0, SHOWN), final: 'final' in value && value.final === true };
}
