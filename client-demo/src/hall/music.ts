/** Quieter than the cues: the host speaks meanwhile. */
const LOUDNESS = 0.35;
const FADE_MS = 1_200;
const STEP_MS = 60;

/** The music of a theme, again and again. Browsers let it play only after a click. */
export class Music {
  readonly #audio: HTMLAudioElement;
  #isAllowed = false;
  #wanted: string | undefined;
  #fading: ReturnType<typeof setInterval> | undefined;

  constructor(audio: HTMLAudioElement) {
    this.#audio = audio;
  }

  /** To be called in the handler of a click. */
  allow(): void {
    this.#isAllowed = true;
    this.#start();
  }

  /** May be called every frame. @param address `undefined`: silence, after a short fade */
  play(address: string | undefined): void {
    if (address === this.#wanted) return;
    this.#wanted = address;
    if (address === undefined) this.#fade();
    else this.#start();
  }

  #start(): void {
    if (!this.#isAllowed || this.#wanted === undefined) return;
    clearInterval(this.#fading);
    const { href } = new URL(this.#wanted, location.href);
    if (this.#audio.src !== href) this.#audio.src = href;
    this.#audio.volume = LOUDNESS;
    // A file that cannot be played leaves the screen silent.
    this.#audio.play().catch(() => {});
  }

  #fade(): void {
    clearInterval(this.#fading);
    this.#fading = setInterval(() => {
      this.#audio.volume = Math.max(0, this.#audio.volume - (LOUDNESS * STEP_MS) / FADE_MS);
      if (this.#audio.volume > 0) return;
      clearInterval(this.#fading);
      this.#audio.pause();
    }, STEP_MS);
  }
}
