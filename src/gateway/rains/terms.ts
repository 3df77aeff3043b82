import type { RainSnapshotRead } from '../../store/rains.ts';
import type { OutcomeCode } from '../../protocol/outcomes.ts';
import { TERMS, type TermKeptBy } from '../../rain/terms.ts';
import type { Session } from '../sockets/session.ts';

/** What a user hears who does not meet a term of this rain; `undefined`: he meets it. */
type Judge = (rain: Judged, session: Session) => OutcomeCode | undefined;
type Judged = Pick<RainSnapshotRead, 'terms' | 'opensAt'>;

/** The terms that a gateway holds its users to. A term that the gateway is to keep and that has no judge does not compile. */
const JUDGES: Readonly<Record<TermKeptBy<'gateway'>, Judge>> = {};
const judges: Readonly<Record<string, Judge | undefined>> = JUDGES;

/** Why this user cannot win in a rain by its terms, before Redis is asked; `undefined`: it may be asked. Called with every grab. */
export function judgeByTerms(rain: Judged, session: Session): OutcomeCode | undefined {
  for (const name in rain.terms) {
    // A term of a newer version may be about who wins. This gateway cannot tell, and grants nothing by guessing.
    const code = Object.hasOwn(TERMS, name) ? judges[name]?.(rain, session) : '-7';
    if (code !== undefined) return code;
  }
  return undefined;
}
