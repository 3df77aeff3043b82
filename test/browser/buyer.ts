import type { Locator, Page } from 'playwright-core';
import type { Order } from '../../src/client/client.ts';

/** One item, or one order, on the screen of a sale. */
export const itemOf = (page: Page, sku: string): Locator => page.locator(`[data-testid=item][data-sku="${sku}"]`);
export const ordersOf = (page: Page): Locator => page.getByTestId('order');

/** Resolves when the item has this face. */
export async function itemShows(page: Page, sku: string, face: string): Promise<void> {
  await page.locator(`[data-testid=item][data-sku="${sku}"][data-face=${face}]`).waitFor();
}

/** Resolves when the buyer's first order, or this one, has this status. */
export async function orderShows(page: Page, status: Order['status'], reservationId?: string): Promise<Locator> {
  const order = page
    .locator(
      `[data-testid=order]${reservationId === undefined ? '' : `[data-order="${reservationId}"]`}[data-status=${status}]`,
    )
    .first();
  // The page shown instead tells more than a time-out.
  await order.waitFor().catch(async () => {
    throw new Error(`no order is ${status}: ${await page.getByTestId('sale').innerText()}`);
  });
  return order;
}

export async function saleShows(page: Page, state: string): Promise<void> {
  await page.locator(`[data-testid=sale][data-state=${state}]`).waitFor();
}

export async function buy(page: Page, sku: string): Promise<void> {
  await itemOf(page, sku).getByTestId('buy').click();
}
