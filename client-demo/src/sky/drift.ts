import type { Mark } from './mark.ts';

const PIXELS_PER_LEAF = 13_000;
const LEAVES_MAX = 70;
const FAR_PACKETS = 9;

interface Mote {
  mark: Mark;
  /** 0 far, 1 near: near things fall faster and move more with the viewing position. */
  near: number;
  phase: number;
}

/** The background: gold leaf, sparks, and distant packets that cannot be tapped. Distant things move slower. */
export class Drift {
  readonly #random: () => number;
  #motes: Mote[] = [];
  #width = 0;
  #height = 0;
  /** Viewing position, -1 left to 1 right. */
  lean = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  fit(width: number, height: number): void {
    this.#width = width;
    this.#height = height;
    const leaves = Math.min(LEAVES_MAX, Math.round((width * height) / PIXELS_PER_LEAF));
    const far = Math.round(FAR_PACKETS * Math.min(2, Math.max(0.6, width / 600)));
    this.#motes = [
      ...Array.from({ length: far }, (_, i) => this.#mote('envelope', (i / far) * 0.3)),
      ...Array.from({ length: leaves }, (_, i) => this.#mote(i % 3 === 0 ? 'petal' : 'spark', this.#random())),
    ];
  }

  move(stepMs: number): void {
    for (const mote of this.#motes) {
      mote.phase += stepMs / 1_300;
      mote.mark.y += ((14 + 52 * mote.near) * stepMs) / 1000;
      mote.mark.turn += stepMs / 2_400;
      if (mote.mark.y > this.#height + 40) mote.mark.y = -40;
    }
  }

  /** @param packets whether distant packets are shown, too */
  marks(packets: boolean): Mark[] {
    return this.#motes
      .filter(({ mark }) => packets || mark.picture !== 'envelope')
      .map(({ mark, near, phase }) => {
        const twinkle = mark.picture === 'spark' ? 0.55 + 0.45 * Math.sin(phase * 3) : 1;
        const flutter = mark.picture === 'petal' ? Math.cos(phase * 2.2) : 1;
        return {
          ...mark,
          x: mark.x + Math.sin(phase) * 14 - this.lean * (4 + 26 * near),
          scaleX: mark.scaleX * flutter,
          alpha: mark.alpha * twinkle,
        };
      });
  }

  #mote(picture: Mark['picture'], near: number): Mote {
    const scale = picture === 'envelope' ? 0.26 + near * 0.5 : 0.35 + near * 0.6;
    return {
      near,
      phase: this.#random() * 7,
      mark: {
        picture,
        scaleX: scale,
        scaleY: scale,
        turn: this.#random() * 6,
        alpha: picture === 'envelope' ? 0.3 : 0.35 + near * 0.5,
        x: this.#random() * this.#width,
        y: this.#random() * this.#height,
      },
    };
  }
}
