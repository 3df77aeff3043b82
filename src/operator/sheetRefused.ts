import { formatRefusal, type Refusal } from '../rain/refusal.ts';

/** A list cannot be read. Thrown in the middle of the rows; `refusal` names line and column. */
export class SheetRefused extends Error {
  override name = 'SheetRefused';
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(formatRefusal(refusal));
    this.refusal = refusal;
  }
}
