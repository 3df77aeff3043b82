import type { BookedSale } from '../../../ledger/sales.ts';
import { plannedItems } from '../../../ledger/sales.ts';
import { iso } from '../../../rain/figures.ts';
import { canonicalJson, readJson } from '../../../rain/json.ts';
import { STORED_STATES, type StoredState } from '../../../rain/rain.ts';
import type { Units } from '../../../sale/units.ts';
import { saleTerms } from '../../../store/sales.ts';
import { items, withLimits } from '../../../sale/item.ts';
import { isSame, type Opening } from '../../audit/windows.ts';
import { quoted, type SaleFindings } from './findings.ts';
import type { WrongField } from './wrongField.ts';

/** Hashes of Redis as they are. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** The fields of a sale in Redis that differ from the ledger. */
interface Differences {
  /** Steps that the operator should repeat; nothing is lost by them. */
  notices: string[];
  /** Fields that a repair can put right, each with the key of its finding. */
  wrong: (WrongField & { key: string })[];
}

/**
 * Compares what Redis holds about a sale with the ledger, which was read later: window and top-ups are in the ledger
 * first.
 * @param windows the present one, and those that were recorded before @param states what its state may be, the right
 *   one first
 */
export function compareSaleState(
  sale: BookedSale & { signedBy: string | undefined },
  state: Texts,
  stock: Texts,
  { windows, states }: { windows: readonly Opening[]; states: readonly [StoredState, ...StoredState[]] },
  findings: SaleFindings,
): Differences {
  const differences: Differences = { notices: [], wrong: [] };
  const { wrong } = differences;
  const differs = (field: string, booked: string | undefined) => {
    if ((state[field] ?? '') === (booked ?? '')) return;
    findings.note(
      `state ${field}`,
      `Redis has ${quoted(state[field])} as ${field} of the sale; the ledger has ${quoted(booked)}`,
      'state',
    );
    wrong.push({ key: `state ${field}`, hash: 'state', field, found: state[field] ?? '', right: booked ?? '' });
  };
  compareProgress(sale, state['state'], states, findings, differences);
  differs('saleId', sale.id);
  differs('holdMs', String(sale.holdMs));
  differs('perUserMax', sale.perUserMax === undefined ? undefined : String(sale.perUserMax));
  // Before the sale is loaded Redis has none.
  if (sale.signedBy !== undefined && state['state'] !== 'draft') differs('signedBy', sale.signedBy);
  differs('boughtMax', sale.boughtMax === undefined ? undefined : String(sale.boughtMax));
  // Else a rehearsal would be real, or a sale by invitation would be for everybody.
  if (canonicalJson(readJson(state['terms'] ?? '') ?? null) !== canonicalJson(readJson(saleTerms(sale))))
    differs('terms', saleTerms(sale));
  const shown = items.safeParse(readJson(state['items'] ?? ''));
  if (canonicalJson(shown.data?.map(withLimits) ?? null) !== canonicalJson(plannedItems(sale))) {
    findings.note(
      'state items',
      'the items in Redis are not those of the ledger: buyers are shown something else',
      'state',
    );
    wrong.push({
      key: 'state items',
      hash: 'state',
      field: 'items',
      found: state['items'] ?? '',
      right: JSON.stringify(plannedItems(sale)),
    });
  }
  compareWindow(sale, state, windows, findings, differences);
  compareUnits(sale, state, stock, findings, differences);
  return differences;
}

/** A failover may undo the last step of a sale, but none closes it before its end. */
function compareProgress(
  { id }: BookedSale,
  found: string | undefined,
  states: readonly [StoredState, ...StoredState[]],
  findings: SaleFindings,
  { wrong }: Differences,
): void {
  const [right] = states;
  if (!(STORED_STATES as readonly string[]).includes(found!))
    findings.note(
      'state',
      `the state of the sale in Redis is ${quoted(found)}, expected ${STORED_STATES.join(', ')}`,
      'state',
    );
  else if ((states as readonly string[]).includes(found!)) return;
  else
    findings.note(
      'state',
      `the sale is ${found} in Redis, and nobody has brought it there: by the record it is ${right}; put it right with: rain sale audit ${id} --repair`,
      found === 'closed' || found === 'settled' ? 'state' : undefined,
    );
  wrong.push({ key: 'state', hash: 'state', field: 'state', found: found ?? '', right });
}

function compareWindow(
  { id }: BookedSale,
  state: Texts,
  windows: readonly Opening[],
  findings: SaleFindings,
  { notices, wrong }: Differences,
): void {
  const held = { opensAt: Number(state['opensAt']), closesAt: Number(state['closesAt']) };
  const booked = windows[0]!;
  if (isSame(held, booked)) return;
  const sentence = `Redis opens the sale at ${quoted(state['opensAt'])} and closes it at ${quoted(state['closesAt'])}; the ledger says ${iso(booked.opensAt)} to ${iso(booked.closesAt)}`;
  if (windows.some((window) => isSame(window, held)))
    return void notices.push(`${sentence}; a start was cut: repeat it with rain sale start ${id}`);
  findings.note('state window', sentence, 'window');
  for (const field of ['opensAt', 'closesAt'] as const)
    if (held[field] !== booked[field])
      wrong.push({
        key: 'state window',
        hash: 'state',
        field,
        found: state[field] ?? '',
        right: String(booked[field]),
      });
}

/** Terms and units of each item. A top-up that is booked and not in Redis yet is no difference. */
function compareUnits(
  sale: BookedSale,
  state: Texts,
  stock: Texts,
  findings: SaleFindings,
  { notices, wrong }: Differences,
): void {
  const brought = new Set((state['added'] ?? '').split(',').filter((text) => text !== ''));
  const unknown = [...brought].filter((ordinal) => !sale.topUps.some((topUp) => String(topUp.ordinal) === ordinal));
  if (unknown.length > 0)
    findings.note('state added', `Redis has a top-up ${quoted(unknown[0])} that the ledger does not know`, 'top_ups');
  const correct = (key: string, field: string, right: Units | string) =>
    wrong.push({ key, hash: 'stock', field, found: stock[field] ?? '', right });
  for (const { sku, units, price, perOrderMax, perUserMax } of plannedItems(sale)) {
    const terms = `${price}:${perOrderMax}:${perUserMax}`;
    if (stock[sku] !== terms) {
      findings.note(
        `terms ${sku}`,
        `Redis sells ${sku} as ${quoted(stock[sku])} (price, limit per order, limit per user); the ledger has "${terms}"`,
        'terms',
      );
      correct(`terms ${sku}`, sku, terms);
    }
    const total = sale.topUps.reduce(
      (sum, topUp) => sum + (topUp.sku === sku && brought.has(String(topUp.ordinal)) ? topUp.units : 0),
      units,
    );
    if (stock[`${sku}:units`] !== String(total)) {
      findings.note(
        `units ${sku}`,
        `Redis has ${quoted(stock[`${sku}:units`])} units of ${sku} to sell; by the ledger they are ${total}`,
        'units',
      );
      correct(`units ${sku}`, `${sku}:units`, total);
    }
  }
  if (sale.sealedAt !== undefined || sale.settledAt !== undefined) return;
  notices.push(
    ...sale.topUps
      .filter(({ ordinal }) => !brought.has(String(ordinal)))
      .map(
        ({ id, units, sku }) =>
          `the top-up ${id} of ${units} ${sku} is booked and not in Redis yet: repeat it with the same id, or run rain sale load ${sale.id}`,
      ),
  );
}
