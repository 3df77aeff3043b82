// A gateway whose memory can be measured: on SIGUSR2 it collects garbage and prints the remaining bytes.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startGateway } from '../../../dist/gateway/server.js';
import { createSigner } from '../../../dist/store/signer.js';
import { createLog } from '../../../dist/platform/telemetry/log.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const print = (facts) => process.stdout.write(`${JSON.stringify(facts)}\n`);
const [redisUrl, secret, signingSecret] = process.argv.slice(2);
const gateway = await startGateway({
  redisUrl,
  host: '127.0.0.1',
  port: 0,
  token: { secret },
  signer: createSigner(signingSecret),
  trustedProxies: 1,
  log: createLog('gateway', 'warn'),
});
process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  print({
    sockets: gateway.sockets(),
    bytes: heapUsed + external,
    closes: gateway.counters.closes,
    refused: gateway.counters.refused,
  });
});
process.on('SIGTERM', () => void gateway.close().then(() => process.exit(0)));
print({ port: gateway.port });
