import type { FieldRefusal } from '../../state/responses.ts';
import { amountTyped } from '../../words/figures.ts';
import { newId, newDraft, numberTyped, timesOf, UNITS_MS, type TimeDraft, type Unit } from '../create/draft.ts';

/** One item as typed; an empty text is left out of the request. */
export interface TypedItem {
  sku: string;
  name: string;
  description: string;
  units: string;
  price: string;
  listPrice: string;
  perOrderMax: string;
  perUserMax: string;
  picture: string;
}

/** The form as typed. The console validates it. */
export interface SaleDraft extends TimeDraft {
  /** Chosen once per form, so that sending it twice creates one sale. */
  id: string;
  title: string;
  items: readonly TypedItem[];
  perUserMax: string;
  hold: string;
  holdUnit: Unit;
  orderService: 'builtin' | 'webhook';
  rehearsal: boolean;
  unlisted: boolean;
  invitedOnly: boolean;
  load: boolean;
  /** The campaign of which this sale is a round. */
  campaign?: { id: string; round: number };
}

/** The properties of every part of the form. */
export interface SalePartProps {
  draft: SaleDraft;
  refusals: readonly FieldRefusal[];
  change: (change: Partial<SaleDraft>) => void;
}

export const NEW_ITEM: TypedItem = {
  sku: '',
  name: '',
  description: '',
  units: '',
  price: '',
  listPrice: '',
  perOrderMax: '',
  perUserMax: '',
  picture: '',
};

export type SalePreset = 'goods' | 'tickets';

/** Common sales to start from. */
export const SALE_PRESETS: Record<SalePreset, Partial<SaleDraft>> = {
  goods: {
    items: [
      { ...NEW_ITEM, sku: 'tee', units: '100', price: '19.90', listPrice: '29.90' },
      { ...NEW_ITEM, sku: 'mug', units: '50', price: '9.90' },
    ],
    perUserMax: '2',
    hold: '5',
    holdUnit: 'min',
    when: 'in',
    startIn: '10',
    startInUnit: 'min',
    duration: '60',
    durationUnit: 'min',
  },
  tickets: {
    items: [{ ...NEW_ITEM, sku: 'seat', units: '500', price: '0.00' }],
    perUserMax: '1',
    hold: '5',
    holdUnit: 'min',
    when: 'in',
    startIn: '10',
    startInUnit: 'min',
    duration: '60',
    durationUnit: 'min',
  },
};

export function newSaleDraft(now: number, campaign?: SaleDraft['campaign']): SaleDraft {
  const { when, startIn, startInUnit, starts } = newDraft(now);
  return {
    id: newId(now),
    title: '',
    items: [NEW_ITEM],
    perUserMax: '1',
    hold: '5',
    holdUnit: 'min',
    orderService: 'builtin',
    rehearsal: false,
    unlisted: false,
    invitedOnly: false,
    load: true,
    when,
    startIn,
    startInUnit,
    starts,
    duration: '60',
    durationUnit: 'min',
    ...(campaign && { campaign }),
  };
}

/** An item of the request. An invalid number becomes null in JSON, and the console refuses it by name. */
function itemOf({ sku, name, description, units, price, listPrice, perOrderMax, perUserMax, picture }: TypedItem) {
  const given = (text: string) => text.trim() !== '';
  return {
    sku: sku.trim(),
    units: numberTyped(units),
    price: amountTyped(price),
    ...(given(name) && { name: name.trim() }),
    ...(given(description) && { description: description.trim() }),
    ...(given(listPrice) && { listPrice: amountTyped(listPrice) }),
    ...(given(perOrderMax) && { perOrderMax: numberTyped(perOrderMax) }),
    ...(given(perUserMax) && { perUserMax: numberTyped(perUserMax) }),
    ...(given(picture) && { picture: picture.trim() }),
  };
}

/** The request of the form. Its id is the same at every call, so a repeated request creates no second sale. */
export function saleRequestOf(draft: SaleDraft, now: number) {
  const { items, perUserMax, hold, holdUnit, orderService, rehearsal, unlisted, invitedOnly, load, campaign } = draft;
  // The id of a round begins with the id of its campaign.
  const id = campaign ? `${campaign.id}.${campaign.round}` : draft.id;
  const {
    starts: [opensAt = NaN],
    durationMs,
  } = timesOf(draft, now);
  const title = draft.title.trim();
  return {
    id,
    ...(title !== '' && { title }),
    items: items.map(itemOf),
    perUserMax: numberTyped(perUserMax),
    holdMs: Math.round(numberTyped(hold) * UNITS_MS[holdUnit]),
    opensAt,
    closesAt: opensAt + durationMs,
    orderService,
    load,
    ...(campaign && { campaign }),
    ...(rehearsal && !campaign && { rehearsal }),
    ...(unlisted && { unlisted }),
    ...(invitedOnly && { invitedOnly }),
  };
}
export type SaleRequest = ReturnType<typeof saleRequestOf>;

/**
 * The request for a dry run of all fields at once: what the form itself refuses is replaced by a value that is not, so
 * that the server checks the rest in the same round.
 */
export function checkableRequest(draft: SaleDraft, now: number): SaleRequest {
  const { perUserMax, holdMs, opensAt, closesAt, ...request } = saleRequestOf(draft, now);
  const start = Number.isNaN(opensAt) ? now : opensAt;
  return {
    ...request,
    perUserMax: perUserMax > 0 ? perUserMax : 1,
    holdMs: holdMs > 0 ? holdMs : 60_000,
    opensAt: start,
    closesAt: closesAt > start ? closesAt : Math.max(start, now) + 60_000,
  };
}

/** Refusals of numbers that would all become null in JSON; their reasons would name no number. */
export function holdRefusals({ hold, perUserMax }: SaleDraft): FieldRefusal[] {
  return [['holdMs', hold] as const, ['perUserMax', perUserMax] as const].flatMap(([field, text]) =>
    numberTyped(text) > 0 ? [] : [{ field, reason: 'expected a number above zero' }],
  );
}
