import type { Scene } from './scene.ts';

/** Attacks of one kind, each as the nasty forms of a request and an honest one. */
export interface Family {
  name: string;
  /** It takes what the others need, so it is played after them. */
  alone?: true;
  attack(scene: Scene, attempts: Attempts): Promise<void>;
}

/** The expected answer: this very value, one of several, or text that matches. */
type Expected = string | number | boolean | RegExp | readonly (string | number)[];

/** Something that was sent, and what came. */
export interface Attempt {
  /** The sent request, in words. */
  what: string;
  /** An honest request, which must succeed: else everything might be refused for another reason. */
  isControl: boolean;
  got: string;
  expected: string;
  ok: boolean;
}

/** Notes of a family what it has tried. */
export class Attempts {
  readonly made: Attempt[] = [];

  /** A nasty request. @param expected how it has to be refused, or to remain without effect */
  refused(what: string, got: unknown, expected: Expected): void {
    this.#add(what, false, got, expected);
  }

  /** The honest form of it. @param expected what it has to be answered */
  control(what: string, got: unknown, expected: Expected): void {
    this.#add(what, true, got, expected);
  }

  #add(what: string, isControl: boolean, got: unknown, expected: Expected): void {
    this.made.push({ what, isControl, got: inWords(got), expected: String(expected), ok: matches(got, expected) });
  }
}

function matches(got: unknown, expected: Expected): boolean {
  if (expected instanceof RegExp) return expected.test(inWords(got));
  if (Array.isArray(expected)) return expected.includes(got as never);
  return got === expected || inWords(got) === expected;
}

const inWords = (got: unknown): string => (typeof got === 'string' ? got : (JSON.stringify(got) ?? String(got)));
