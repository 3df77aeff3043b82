import type { Units } from '../../../sale/units.ts';

/** A field of Redis that is wrong, and what it must have been when it was read. */
export interface WrongField {
  hash: 'state' | 'stock';
  field: string;
  /** Empty: it is missing. */
  found: string;
  right: Units | string;
}
