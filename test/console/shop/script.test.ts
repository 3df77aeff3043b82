import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openedSale, reserveTees, writeLog } from '../../orders/saleStage.ts';
import { SECRET } from '../../credit/wallet.ts';
import { pageAt } from '../../docs/pages.ts';
import { openShopStage } from './stage.ts';

/** The script of the page, for an order of a test. */
function scriptFor(orderId: string): string {
  const [, script] = /```bash pay\n(order=[^]*?)```/.exec(pageAt('docs/how-to/sell-in-a-flash-sale.md').text) ?? [];
  return script!.replace('order=newyear-17', `order=${orderId}`);
}

test('the script of the page on flash sales marks an order as paid, also where this product keeps the orders', async () => {
  const stage = await openShopStage();
  onTestFinished(() => stage.stop());
  await openedSale(stage, 'till', { orderService: 'builtin' });
  const [orderId] = await reserveTees(stage, 'till', 1);
  await writeLog(stage, 'till');
  const run = async (secret: string) =>
    (
      await promisify(execFile)('bash', ['-c', scriptFor(orderId!)], {
        env: { ...process.env, ORDER_WEBHOOK_SECRET: secret, CONSOLE_URL: stage.url },
        timeout: 20_000,
      })
    ).stdout;
  expect(JSON.parse(await run('another-secret-of-32-characters-or-more'))).toMatchObject({ code: 'not_signed' });
  expect((await stage.ledger.order(orderId!))?.status).toBe('created');
  expect(JSON.parse(await run(SECRET))).toMatchObject({ outcome: 'done', status: 'paid' });
  expect(JSON.parse(await run(SECRET)), 'repeated').toMatchObject({ outcome: 'was', status: 'paid' });
  expect((await stage.ledger.order(orderId!))?.status).toBe('paid');
});
