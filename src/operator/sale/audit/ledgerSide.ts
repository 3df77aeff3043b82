import type { BookedStock } from '../../../ledger/stock.ts';
import type { StockFaults } from '../../../ledger/stockFaults.ts';
import type { SaleFindings } from './findings.ts';

const BLAME = 'somebody has changed the ledger';

/**
 * Compares the accounts of the stock with their transfers, and both with the orders. The ledger cannot get there by
 * itself.
 */
export function compareStock(
  stock: readonly BookedStock[],
  { supplies, orders, beyond }: Pick<StockFaults, 'supplies' | 'orders' | 'beyond'>,
  findings: SaleFindings,
): void {
  for (const { sku, accounts, transfers, created, paid } of stock) {
    for (const place of ['shop', 'available', 'reserved', 'sold'] as const) {
      if (accounts[place] !== transfers[place])
        findings.note(
          `account ${sku} ${place}`,
          `the stock account ${place} of ${sku} holds ${accounts[place]}, and its transfers sum to ${transfers[place]}: ${BLAME}`,
          'ledger',
        );
    }
    if (accounts.reserved !== created)
      findings.note(
        `reserved ${sku}`,
        `the stock account reserved of ${sku} holds ${accounts.reserved}, and the orders that wait for their payment have ${created}: ${BLAME}`,
        'ledger',
      );
    if (accounts.sold !== paid)
      findings.note(
        `sold ${sku}`,
        `the stock account sold of ${sku} holds ${accounts.sold}, and the paid orders have ${paid}: ${BLAME}`,
        'ledger',
      );
    const sum = accounts.shop + accounts.available + accounts.reserved + accounts.sold;
    if (sum !== 0)
      findings.note(`sum ${sku}`, `the stock accounts of ${sku} sum to ${sum}, expected 0: ${BLAME}`, 'ledger');
  }
  for (const { sku, units, supplied } of supplies) {
    if (units !== supplied)
      findings.note(
        `supply ${sku}`,
        `the sale has ${units} ${sku}, and transfers have brought ${supplied} from the shop: ${BLAME}`,
        'ledger',
      );
  }
  for (const { id, status, reserved, sold } of orders) {
    findings.note(
      `order ${id}`,
      status === null
        ? `the order ${id} is gone, and its stock transfers are there: ${BLAME}`
        : `the order ${id} is ${status}, and its stock transfers leave ${reserved} reserved and ${sold} sold: ${BLAME}`,
      'ledger',
    );
  }
  for (const { userId, sku, units, max, inCampaign } of beyond) {
    const where = inCampaign ? 'in all sales of the campaign' : sku === null ? 'in the sale' : `of ${sku}`;
    findings.note(
      `beyond ${userId} ${sku ?? ''} ${inCampaign}`,
      `${userId} has orders of ${units} units ${where}, and may have ${max}`,
    );
  }
}
