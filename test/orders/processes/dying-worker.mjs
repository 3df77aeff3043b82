// An order worker that hangs before its first announcement, to be killed there. Arguments: URL of Redis, of the
// database, SIGNING_SECRET.
import { connectDatabase } from '../../../dist/ledger/database.js';
import { openLedger } from '../../../dist/ledger/ledger.js';
import { builtinOrders } from '../../../dist/orders/orderService.js';
import { createOrderWorker } from '../../../dist/orders/worker.js';
import { connectRedis } from '../../../dist/platform/redis/connect.js';
import { createLog } from '../../../dist/platform/telemetry/log.js';
import { QUEUE_PREFIX } from '../../../dist/store/keys.js';
import { createSigner } from '../../../dist/store/signer.js';

const [redisUrl, databaseUrl, signingSecret] = process.argv.slice(2);
const onError = () => {};
createOrderWorker({
  connection: connectRedis(redisUrl, { purpose: 'queue', onError }),
  prefix: QUEUE_PREFIX,
  onError,
  redis: connectRedis(redisUrl, { purpose: 'once', onError }),
  signer: createSigner(signingSecret),
  ledger: openLedger(connectDatabase(databaseUrl)),
  service: builtinOrders,
  log: createLog('orders', 'silent'),
  onCreated(_saleId, orders) {
    process.stdout.write(`written ${orders.length}\n`);
    return new Promise(() => {});
  },
});
