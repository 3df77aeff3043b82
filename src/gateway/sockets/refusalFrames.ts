import { asciiFrameOf, frameOf, type Frame } from './frame.ts';
import { REFUSAL_FRAMES_MAX } from './limits.ts';

/** A ref that needs neither escapes nor UTF-8. */
const PLAIN_REF = /^[\w.-]*$/;
/** Stands for the ref where the text is cut in two. It is in no id, and needs no escapes. */
const REF = '~';

interface Written {
  withoutRef: Frame;
  beforeRef: string;
  afterRef: string;
}

/**
 * The frames of refusals: nearly all of a rain or a sale differ only in the ref, so each is written once. The decision
 * is taken each time.
 */
export class RefusalFrames<Code extends string> {
  readonly #write: (id: string, ref: string | undefined, code: Code) => string;
  readonly #written = new Map<Code, Map<string, Written>>();

  /** @param write the whole text, which is ASCII but for the ref */
  constructor(write: (id: string, ref: string | undefined, code: Code) => string) {
    this.#write = write;
  }

  /** @param id the rain's or the sale's */
  of(id: string, ref: string | undefined, code: Code): Frame {
    if (ref === undefined) return this.#find(id, code).withoutRef;
    if (!PLAIN_REF.test(ref)) return frameOf(this.#write(id, ref, code));
    const { beforeRef, afterRef } = this.#find(id, code);
    return asciiFrameOf(beforeRef + ref + afterRef);
  }

  #find(id: string, code: Code): Written {
    let ofCode = this.#written.get(code);
    if (!ofCode) this.#written.set(code, (ofCode = new Map()));
    let written = ofCode.get(id);
    if (!written) {
      const [beforeRef, afterRef] = this.#write(id, REF, code).split(REF) as [string, string];
      written = { withoutRef: asciiFrameOf(this.#write(id, undefined, code)), beforeRef, afterRef };
      if (ofCode.size >= REFUSAL_FRAMES_MAX) ofCode.clear();
      ofCode.set(id, written);
    }
    return written;
  }
}
