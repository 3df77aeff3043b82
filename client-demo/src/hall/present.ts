import { request } from '../api.ts';

const AGAIN_MS = 2_000;

export interface Presence {
  /** The phones that the gateways have: not screens, which only watch. */
  phones: number;
  /** The people on the list of participants; absent: there is none. */
  invited?: number;
  /** Some of those who have come, the last one first, as names of winners are shown. */
  names: readonly string[];
}

/**
 * @returns `undefined` where nobody is told
 * @throws if it cannot be read now
 */
async function readPresent(token: string | undefined): Promise<Presence | undefined> {
  const { status, body } = await request('api/present', {
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });
  if (status === 404) return undefined;
  if (typeof body?.['phones'] !== 'number') throw new Error(`nobody is counted: ${status}`);
  const { phones, invited, names } = body;
  return {
    phones,
    ...(typeof invited === 'number' && { invited }),
    names: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [],
  };
}

/** The people who have come, while people come. */
export class Present {
  readonly #read: () => Promise<Presence | undefined>;
  /** `undefined`: not known. */
  known: Presence | undefined;
  #isOn = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param token the screen's own; without it no names are told */
  constructor(token: () => string | undefined, read = readPresent) {
    this.#read = () => read(token());
  }

  /** May be called every frame. */
  follow(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    clearTimeout(this.#timer);
    this.known = undefined;
    if (isOn) void this.#request();
  }

  async #request(): Promise<void> {
    const found = await this.#read().catch(() => this.known ?? { phones: 0, names: [] });
    if (!this.#isOn || found === undefined) return;
    this.known = found;
    this.#timer = setTimeout(() => void this.#request(), AGAIN_MS);
  }
}
