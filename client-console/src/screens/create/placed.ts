import type { Refusal } from '../../state/request.ts';
import type { FieldRefusal } from '../../state/responses.ts';

const PLACED =
  /^(plan\.)?(title|budget|packets|min|max|opensAt(\.\d+)?|closesAt|split(\..*)?|terms\..*|greeting\.(sender|blessing|prizes(\..*)?))$/;

/** The refusals of fields that the form does not have. The others stand beside their fields, and nowhere else. */
export function unplaced(refusals: readonly FieldRefusal[]): Refusal | undefined {
  const rest = refusals.filter(({ field }) => !PLACED.test(field));
  return rest.length === 0 ? undefined : { status: 400, code: 'refused', reason: '', refusals: rest };
}
