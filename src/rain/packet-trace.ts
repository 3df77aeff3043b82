/** The steps of a claim from the socket to the ledger and back, in order. */
export const TRACE_STEPS = ['grab', 'relay', 'credit', 'announce', 'told'] as const;
type TraceStep = (typeof TRACE_STEPS)[number];

/** The trace id of a claim: derived, so that no message and no job carries it. */
export function traceOf({ rainId, redPacketId }: { rainId: string; redPacketId: string }): string {
  return `${rainId}/${redPacketId}`;
}

/** The step before this one; `undefined` for the first. */
export function stepBefore(step: TraceStep): TraceStep | undefined {
  return TRACE_STEPS[TRACE_STEPS.indexOf(step) - 1];
}
