import { randomBytes } from 'node:crypto';
import type { ShopOptions } from '../../console/shop/reports.ts';
import { connectDatabase } from '../../ledger/database.ts';
import { openLedger } from '../../ledger/ledger.ts';
import { takeReports } from '../../orders/reports.ts';
import { addOrderLetters } from '../../orders/deadLetters.ts';
import type { Lifecycle } from '../../platform/process/lifecycle.ts';
import type { Logger } from '../../platform/telemetry/log.ts';
import type { Backend } from '../../console/routes/route.ts';
import type { ConsoleConfig } from './player.ts';

/** Connections to the database of its own: a wave of payments must not keep the operator waiting. */
const DATABASE_CONNECTIONS = 4;

/** Takes the shop's reports; absent without a secret to verify them. A demo makes its own, since it is both sides. */
export function openShop(
  { ORDER_WEBHOOK_SECRET, DATABASE_URL }: ConsoleConfig,
  isDemo: boolean,
  { queues, redis, signer }: Pick<Backend, 'queues' | 'redis' | 'signer'>,
  log: Logger,
  lifecycle: Lifecycle,
): Omit<ShopOptions, 'log'> | undefined {
  const secret = ORDER_WEBHOOK_SECRET ?? (isDemo ? randomBytes(32).toString('hex') : undefined);
  if (secret === undefined) return undefined;
  const database = connectDatabase(DATABASE_URL, {
    connectionsMax: DATABASE_CONNECTIONS,
    onError: (error) => log.debug({ error: error.message }, 'connection fault'),
  });
  lifecycle.onClose('shop', () => database.$disconnect());
  return {
    secret,
    takeReport: takeReports({
      redis,
      signer,
      ledger: openLedger(database),
      async deadLetter(letter) {
        await addOrderLetters(queues.ordersDead, [letter], signer);
        log.error(
          { saleId: letter.saleId, entry: letter.index },
          'an order was paid after its units were released: see the dead letters',
        );
      },
    }),
  };
}
