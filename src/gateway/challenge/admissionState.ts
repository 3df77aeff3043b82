import type { Challenge } from '../../protocol/proofOfWork.ts';
import type { Limits } from '../limits.ts';
import type { Ticket } from './tickets.ts';

/** What one session has been handed for one rain, or has shown. */
export interface AdmissionState {
  ticket: Ticket | undefined;
  challenge: Promise<Challenge> | undefined;
  /** Until when that challenge can be solved, epoch ms by Redis's clock. */
  challengeUntil: number;
}

/** The entry of this session to this rain, made when it is missing. Of more than he may watch the oldest goes [R10]. */
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
