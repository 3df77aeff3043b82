/** The steps of a claim on its way from the socket to the book and back, each after the one before it. */
export const TRACE_STEPS = ['grab', 'relay', 'credit', 'announce', 'told'] as const;
type TraceStep = (typeof TRACE_STEPS)[number];

/** What a claim's trail is known by: whoever has the claim can derive it, so that no message and no job carries it. */
export function traceOf({ rainId, redPacketId }: { rainId: string; redPacketId: string }): string {
  return `${rainId}/${redPacketId}`;
}

/** The step before this one; `undefined` for the first. */
export function stepBefore(step: TraceStep): TraceStep | undefined {
  return TRACE_STEPS[TRACE_STEPS.indexOf(step) - 1];
}
