import { InvalidArgumentError } from 'commander';
import { firstRefusal } from '../../../rain/refusal.ts';
import { item, type Item } from '../../../sale/item.ts';
import { sku } from '../../../sale/ids.ts';
import { units, type Units } from '../../../sale/units.ts';
import { typedAmount } from '../../arguments.ts';

/** Appends an item such as `tee:100@19.90`. */
export function parseItem(text: string, before: readonly Item[] = []): Item[] {
  const match = /^([^:@]+):([^:@]+)@([^:@]+)$/.exec(text);
  if (!match) throw new InvalidArgumentError('expected <sku>:<units>@<price> such as tee:100@19.90');
  const parsed = item.safeParse({ sku: match[1], units: count(match[2]!), price: typedAmount(match[3]!) });
  if (!parsed.success) throw new InvalidArgumentError(sentence(firstRefusal(parsed.error, 'item')));
  if (before.some((other) => other.sku === parsed.data.sku))
    throw new InvalidArgumentError(`sku: ${parsed.data.sku} was given before, expected each SKU once`);
  return [...before, parsed.data];
}

/** Units to add, such as `tee:50`. */
export function parseAddition(text: string): { sku: string; units: Units } {
  const match = /^([^:@]+):([^:@]+)$/.exec(text);
  if (!match) throw new InvalidArgumentError('expected <sku>:<units> such as tee:50');
  const [its, added] = [sku.safeParse(match[1]), units.safeParse(count(match[2]!))];
  if (!its.success) throw new InvalidArgumentError(sentence(firstRefusal(its.error, 'sku')));
  if (!added.success) throw new InvalidArgumentError(sentence(firstRefusal(added.error, 'units')));
  return { sku: its.data, units: added.data };
}

const sentence = ({ field, reason }: { field: string; reason: string }) => `${field}: ${reason}`;

/** `NaN` for anything but digits: `1e3`, `+5` and `0x10` are numbers to JavaScript, and to nobody else here. */
function count(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : NaN;
}
