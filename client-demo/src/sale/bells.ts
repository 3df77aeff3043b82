import { recall, remember } from '../storage.ts';

const KEY = 'rain.bells';

export type Bells = ReturnType<typeof openBells>;

/** The items of which the buyer wishes to hear when units are back. Kept in the tab, so that a reload keeps them. */
export function openBells(saleId: string, storage = () => sessionStorage) {
  const key = `${KEY}.${saleId}`;
  const on = new Set((recall(storage, key) ?? '').split(' ').filter(Boolean));
  return {
    isOn: (sku: string): boolean => on.has(sku),
    set(sku: string, wanted: boolean): void {
      if (on.has(sku) === wanted) return;
      if (wanted) on.add(sku);
      else on.delete(sku);
      remember(storage, key, [...on].join(' '));
    },
  };
}
