import type { Challenge } from '../../protocol/proofOfWork.ts';
import type { Limits } from '../limits.ts';
import type { Ticket } from './tickets.ts';

/** The ticket and the challenge of one session for one rain. */
export interface AdmissionState {
  ticket: Ticket | undefined;
  challenge: Promise<Challenge> | undefined;
  /** When that challenge expires, epoch ms by Redis's clock. */
  challengeUntil: number;
}

/** The admission state of this session for this rain, created if missing. Beyond the limit of watched rains the oldest is dropped [R10]. */
export function admissionStateOf(session: { admissions: Map<string, AdmissionState> | undefined }, rainId: string, { joinsPerSocketMax }: Limits): AdmissionState {
  const admissions = session.admissions ??= new Map<string, AdmissionState>();
  const known = admissions.get(rainId);
  if (known) return known;
  for (const oldest of admissions.keys()) {
    if (admissions.size < joinsPerSocketMax) break;
    admissions.delete(oldest);
  }
  const admission: AdmissionState = { ticket: undefined, challenge: undefined, challengeUntil: 0 };
  admissions.set(rainId, admission);
  return admission;
}
