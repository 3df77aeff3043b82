import { CLOSES, REFUSALS, type CloseCode, type Refusal } from '../protocol/outcomes.ts';

/** No gateway asks for a longer wait before a reconnect; a longer one is a mistake, ms. */
export const AWAY_MS_MAX = 300_000;
/** How long a gateway bans a user who kept sending too fast, ms. */
const BANNED_MS = 60_000;

/** How a connection ended: refused at the upgrade, never reached, or closed (1006 when it broke). */
export type Loss =
  | { kind: 'refused'; status: number }
  | { kind: 'unreachable'; reason: string }
  | { kind: 'closed'; code: number };

export interface LostConnection {
  loss: Loss;
  /** The wait that the gateway's goodbye asked for, ms; `undefined`: there was no goodbye. */
  awayMs?: number | undefined;
  /** The token was fetched for this connection, or no other can be fetched: another token would not help. */
  freshToken: boolean;
  welcomed: boolean;
  failures: number;
}

type Reconnect =
  /** A retry would get the same refusal; `code` is a reason from the table of codes, or `http_<status>`. */
  | { kind: 'never'; code: string }
  /** At the time that the gateway has chosen, which differs per user. */
  | { kind: 'invited'; afterMs: number }
  /** After our own backoff plus `atLeastMs`. */
  | { kind: 'later'; atLeastMs: number; newToken: boolean };

/**
 * ALL RULES FOR A RECONNECT, for pages, apps and simulated users, by the table of codes. A goodbye comes before our own
 * backoff.
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
      return { kind: 'later', atLeastMs: 0, newToken: mayBeTokenFault(failures) };
    case 'closed': {
      const known = loss.code in CLOSES ? CLOSES[loss.code as CloseCode] : undefined;
      if (known?.retry === 'no') return { kind: 'never', code: known.reason };
      if (awayMs !== undefined) return { kind: 'invited', afterMs: awayMs };
      const newToken = known?.code === CLOSES[4401].code || (!welcomed && mayBeTokenFault(failures));
      return { kind: 'later', atLeastMs: known?.code === CLOSES[4430].code ? BANNED_MS : 0, newToken };
    }
    default:
      return loss satisfies never;
  }
}

export function awayMsOf(reconnectInMs: unknown): number | undefined {
  return typeof reconnectInMs === 'number' && reconnectInMs >= 0 && reconnectInMs <= AWAY_MS_MAX
    ? reconnectInMs
    : undefined;
}

/** Browsers do not report why an upgrade was refused, so the token is replaced after every second failure. */
function mayBeTokenFault(failures: number): boolean {
  return failures % 2 === 1;
}
