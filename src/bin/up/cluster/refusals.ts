import { OUTCOMES } from '../../../protocol/outcomes.ts';

/** The answers to the users of one master after a moment; all times are ms since then. */
export interface RefusedUsers {
  /** Users who asked since then. */
  users: number;
  /** Users among them who heard "busy" at least once. */
  refused: number;
  /** When the first and the last "busy" came; 0 when nobody was refused. */
  fromMs: number;
  untilMs: number;
  /**
   * The longest time in which one user was refused, up to the answer that said yes or no, with the pauses between the
   * attempts.
   */
  longestMs: number;
  /** Users who have never got another answer. */
  unanswered: number;
}

interface Heard {
  firstMs?: number;
  lastMs?: number;
  decidedMs?: number;
}

/** Collects the answers of a wave since a moment. */
export class Refusals {
  #sinceMs: number | undefined;
  readonly #heard = new Map<string, Heard>();

  /** @param nowMs on the clock of the answers */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  answered(userId: string, code: string, nowMs: number): void {
    if (this.#sinceMs === undefined) return;
    const at = nowMs - this.#sinceMs;
    const heard = this.#heard.get(userId) ?? {};
    this.#heard.set(userId, heard);
    if (code !== OUTCOMES['-7'].code) heard.decidedMs ??= at;
    else {
      heard.firstMs ??= at;
      heard.lastMs = at;
      delete heard.decidedMs;
    }
  }

  /** @param isOne whether a user is one of those that are meant */
  of(isOne: (userId: string) => boolean): RefusedUsers {
    const all = [...this.#heard].flatMap(([userId, heard]) => (isOne(userId) ? [heard] : []));
    const refused = all.filter(({ firstMs }) => firstMs !== undefined);
    const waits = refused.map(({ firstMs, lastMs, decidedMs }) => (decidedMs ?? lastMs!) - firstMs!);
    const round = (times: number[], pick: (...times: number[]) => number) =>
      times.length === 0 ? 0 : Math.round(pick(...times));
    return {
      users: all.length,
      refused: refused.length,
      fromMs: round(
        refused.map(({ firstMs }) => firstMs!),
        Math.min,
      ),
      untilMs: round(
        refused.map(({ lastMs }) => lastMs!),
        Math.max,
      ),
      longestMs: round(waits, Math.max),
      unanswered: refused.filter(({ decidedMs }) => decidedMs === undefined).length,
    };
  }
}
