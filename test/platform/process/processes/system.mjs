// A small `rain up`: takes a home, starts both embedded servers in it, tells all process ids, and waits for its end.
import { startEmbeddedDatabase } from '../../../../dist/platform/embedded/database.js';
import { startEmbeddedRedis } from '../../../../dist/platform/embedded/redis.js';
import { openHome } from '../../../../dist/platform/process/home.js';
import { removeRunning, writeRunning } from '../../../../dist/platform/process/runningSystem.js';
import { keepSecrets } from '../../../../dist/platform/auth/secrets.js';
import { createShutdown } from '../../../../dist/platform/process/shutdown.js';

const shutdown = createShutdown({ report: (sentence) => process.stderr.write(`${sentence}\n`) });
const opened = await openHome(process.argv[2], { waitMs: 4_000 });
if (!opened.ok) {
  process.stdout.write(`${JSON.stringify({ refused: opened.reason })}\n`);
  process.exit(1);
}
const { home, lock } = opened;
shutdown.onClose('home', () => lock.release());
const secrets = keepSecrets(home.folder);
const redis = await startEmbeddedRedis({ home, password: secrets.redisPassword, lock });
if (!redis.ok) throw new Error(redis.reason);
shutdown.onClose('Redis', redis.server.stop);
const pids = { system: process.pid, redis: redis.server.pid };
if (process.argv[3] !== 'redis-only') {
  const database = await startEmbeddedDatabase({ home, lock });
  if (!database.ok) throw new Error(database.reason);
  shutdown.onClose('database', database.server.stop);
  pids.database = database.server.pid;
}
writeRunning(home.folder, {
  pid: process.pid,
  startedAt: Date.now(),
  redisUrl: redis.server.url,
  databaseUrl: 'postgres://127.0.0.1:1/none',
  jwtSecret: secrets.jwtSecret,
  signingSecret: secrets.signingSecret,
  gatewayUrl: 'ws://127.0.0.1:1',
  consoleUrl: 'http://127.0.0.1:2',
  demo: true,
});
shutdown.onClose('run.json', () => removeRunning(home.folder));
process.stdout.write(`${JSON.stringify({ pids })}\n`);
