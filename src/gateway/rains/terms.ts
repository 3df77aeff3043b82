import type { StoredRain } from '../../store/rains.ts';
import type { OutcomeCode } from '../../protocol/outcomes.ts';
import { TERMS, type TermKeptBy } from '../../rain/terms.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import type { Session } from '../sockets/session.ts';

/** The refusal for a user who does not meet a term of this rain; `undefined`: the user meets it. */
type TermCheck = (rain: RainWithTerms, session: Session) => OutcomeCode | undefined;
type RainWithTerms = Pick<StoredRain, 'terms' | 'opensAt'>;

/** The terms that the gateway enforces. A gateway term without a check does not compile. */
const CHECKS: Readonly<Record<TermKeptBy<'gateway'>, TermCheck>> = {
  unlisted: () => undefined,
  // Asked before, see visibility.ts: to others there is no such rain.
  invitedOnly: () => undefined,
};
const checks: Readonly<Record<string, TermCheck | undefined>> = CHECKS;

/**
 * Why the terms of this rain exclude this user, before Redis is asked; `undefined`: they do not. Called with every
 * grab.
 */
export function checkTerms(rain: RainWithTerms, session: Session): OutcomeCode | undefined {
  for (const name in rain.terms) {
    // A term of a newer version may restrict who wins. This gateway cannot check it, so it grants nothing.
    const code = Object.hasOwn(TERMS, name) ? checks[name]?.(rain, session) : '-7';
    if (code !== undefined) return code;
  }
  return undefined;
}

/** To be called once for each new rain and sale. */
export function warnOfUnknownTerms(of: { rainId: string } | { saleId: string }, terms: string[], log: Logger): void {
  if (terms.length > 0)
    log.warn(
      { ...of, terms },
      'this gateway is too old for these terms of a rain or sale, and grants nothing in it: run the version that made it',
    );
}
