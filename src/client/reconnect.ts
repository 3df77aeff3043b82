import { CLOSES, REFUSALS, type CloseCode, type Refusal } from '../protocol/outcomes.ts';

/** No gateway spreads its reconnects that far; a longer wait is a mistake. */
export const AWAY_MS_MAX = 300_000;
/** As long as a gateway keeps out who went on asking too fast. */
const BANNED_MS = 60_000;

/** How a line ended: refused at the upgrade, never reached, or closed (1006 when it simply broke). */
export type Loss =
  | { kind: 'refused'; status: number }
  | { kind: 'unreachable'; reason: string }
  | { kind: 'closed'; code: number };

/** What is to be known of a line that was lost. */
export interface LostConnection {
  loss: Loss;
  /** What its gateway's goodbye asked for, ms; `undefined`: it said none. */
  awayMs?: number | undefined;
  /** Its token was fetched for this very line, or nobody can fetch another: a second one would fare no better. */
  freshToken: boolean;
  /** It came as far as the welcome. */
  welcomed: boolean;
  /** Lines lost one after the other before this one. */
  failures: number;
}

type Reconnect =
  /** Whoever asked again would hear the same; `code` is a reason of the page of codes, or `http_<status>`. */
  | { kind: 'never'; code: string }
  /** At the moment the gateway has chosen, which is another one for everybody. */
  | { kind: 'invited'; afterMs: number }
  /** After a pause of one's own that grows with each failure, `atLeastMs` long. */
  | { kind: 'later'; atLeastMs: number; newToken: boolean };

/**
 * THE rules of coming back, for players' pages, apps and simulated users alike. They are those of the page of codes; what a
 * goodbye asks for comes before one's own patience.
 */
export function reconnectAfter({ loss, awayMs, freshToken, welcomed, failures }: LostConnection): Reconnect {
  switch (loss.kind) {
    case 'refused': {
      const { status } = loss;
      if (status === REFUSALS[401].status && !freshToken) return { kind: 'later', atLeastMs: 0, newToken: true };
      if (status >= 500 || status === REFUSALS[429].status) return { kind: 'later', atLeastMs: 0, newToken: false };
      return { kind: 'never', code: status in REFUSALS ? REFUSALS[status as Refusal].reason : `http_${status}` };
    }
    case 'unreachable':
      return { kind: 'later', atLeastMs: 0, newToken: isSuspect(failures) };
    case 'closed': {
      const known = loss.code in CLOSES ? CLOSES[loss.code as CloseCode] : undefined;
      if (known?.retry === 'no') return { kind: 'never', code: known.reason };
      if (awayMs !== undefined) return { kind: 'invited', afterMs: awayMs };
      const newToken = known?.code === CLOSES[4401].code || (!welcomed && isSuspect(failures));
      return { kind: 'later', atLeastMs: known?.code === CLOSES[4430].code ? BANNED_MS : 0, newToken };
    }
    default: return loss satisfies never;
  }
}

/** @returns the ms that a goodbye asks for; `undefined`: it asks for the impossible, and is none */
export function awayMsOf(reconnectInMs: unknown): number | undefined {
  return typeof reconnectInMs === 'number' && reconnectInMs >= 0 && reconnectInMs <= AWAY_MS_MAX ? reconnectInMs : undefined;
}

/** Where nobody is told why an upgrade was refused, as in a browser, the token is a suspect after every second time. */
function isSuspect(failures: number): boolean {
  return failures % 2 === 1;
}
