import { isObject, request } from '../api.ts';

const SHOWN = 3;

/** The largest packets of a rain. */
export interface Luckiest {
  /** `user` is masked by the server. `amount` is a decimal string such as "12.21". */
  luckiest: { user: string; amount: string; redPacketId?: string }[];
  /** The list will not change any more. */
  final: boolean;
  /** The sum of all wins, once the list is final: a decimal string. */
  given?: string;
}

/** @throws if it cannot be read now */
export async function readLuckiest(rainId: string): Promise<Luckiest> {
  const { status, body } = await request(`api/rains/${encodeURIComponent(rainId)}/luckiest`);
  const found = toLuckiest(body);
  if (!found) throw new Error(`no luckiest: ${status}`);
  return found;
}

/** @returns `undefined` if the value is no leaderboard */
export function toLuckiest(value: unknown): Luckiest | undefined {
  if (!isObject(value) || !Array.isArray(value['luckiest'])) return undefined;
  const luckiest = (value['luckiest'] as unknown[]).flatMap((one) => {
    const { user, amount, redPacketId } = isObject(one) ? one : {};
    return typeof user === 'string' && typeof amount === 'string'
      ? [{ user, amount, ...(typeof redPacketId === 'string' && { redPacketId }) }]
      : [];
  });
  const { given } = value;
  return {
    luckiest: luckiest.slice(0, SHOWN),
    final: value['final'] === true,
    ...(typeof given === 'string' && { given }),
  };
}

/** The rain ends for all pages in the same second. So the first request is delayed randomly, and requests are few. */
const FIRST_MS_MAX = 4_000;
const AGAIN_MS = 5_000;
const REQUESTS_MAX = 8;

interface LeaderboardOptions {
  read: (rainId: string) => Promise<Luckiest>;
  random: () => number;
}

/** The luckiest users of the finished rain. Requested until the list is final, but only a few times [R10]. */
export class Leaderboard {
  readonly #options: LeaderboardOptions;
  #rainId: string | undefined;
  /** The last list; `undefined` while there is none. */
  found: Luckiest | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LeaderboardOptions) {
    this.#options = options;
  }

  /** May be called every frame. @param rainId the finished rain; `undefined`: there is none */
  follow(rainId: string | undefined): void {
    if (rainId === this.#rainId) return;
    clearTimeout(this.#timer);
    this.#rainId = rainId;
    this.found = undefined;
    if (rainId !== undefined) this.#later(rainId, 1, this.#options.random() * FIRST_MS_MAX);
  }

  #later(rainId: string, attempt: number, afterMs: number): void {
    this.#timer = setTimeout(() => void this.#request(rainId, attempt), afterMs);
  }

  async #request(rainId: string, attempt: number): Promise<void> {
    const found = await this.#options.read(rainId).catch(() => undefined);
    if (rainId !== this.#rainId) return;
    this.found = found ?? this.found;
    if (!found?.final && attempt < REQUESTS_MAX)
      this.#later(rainId, attempt + 1, AGAIN_MS * attempt * (0.5 + this.#options.random()));
  }
}
