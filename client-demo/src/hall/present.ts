import { request } from '../api.ts';

const AGAIN_MS = 2_000;

/**
 * How many phones the gateways have: not screens, which only watch.
 * @returns `undefined` where nobody is told
 * @throws if it cannot be read now
 */
async function readPresent(): Promise<number | undefined> {
  const { status, body } = await request('api/present');
  if (status === 404) return undefined;
  if (typeof body?.['phones'] !== 'number') throw new Error(`nobody is counted: ${status}`);
  return body['phones'];
}

/** The people who have come, while people come. */
export class Present {
  readonly #read: typeof readPresent;
  /** `undefined`: not known. */
  count: number | undefined;
  #isOn = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(read = readPresent) {
    this.#read = read;
  }

  /** May be called every frame. */
  follow(isOn: boolean): void {
    if (isOn === this.#isOn) return;
    this.#isOn = isOn;
    clearTimeout(this.#timer);
    this.count = undefined;
    if (isOn) void this.#request();
  }

  async #request(): Promise<void> {
    const found = await this.#read().catch(() => this.count ?? 0);
    if (!this.#isOn || found === undefined) return;
    this.count = found;
    this.#timer = setTimeout(() => void this.#request(), AGAIN_MS);
  }
}
