import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startRedis } from '../test/support/redis.ts';
import { connect, stockRain } from '../test/support/rain.ts';
import { pause } from '../src/grab/phases.ts';
import { signToken } from '../src/runtime/token.ts';
import { SECRET } from '../bench/house/store.ts';
import { startProgram } from '../bench/house/process.ts';
import { cpuMs } from '../bench/house/cpu.ts';
const redis = await startRedis();
const r = await connect(redis.url);
await stockRain(r, { rainId: 'pressed', amounts: ['1.00'] });
await pause(r, 'pressed', 1);
const [rate, sockets, forMs] = process.argv.slice(2).map(Number) as [number, number, number];
const child = fork(new URL('../dist/bin/rain.js', import.meta.url).pathname, ['gateway'], { execArgv: process.argv[5] ? ['--cpu-prof', '--cpu-prof-dir=/tmp/w/overload/.prof'] : [], env: { ...process.env, REDIS_URL: redis.url, JWT_SECRET: SECRET, GATEWAY_PORT: '0', LOG_LEVEL: 'warn', GATEWAY_MESSAGES_PER_USER_PER_SECOND: '1000000', GATEWAY_MESSAGES_PER_ADDRESS_PER_SECOND: '1000000', GATEWAY_SOCKETS_PER_ADDRESS_MAX: '100000' }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
const [said] = await once(child, 'message') as [{ url: string }];
const driver = await startProgram('load/driver.ts');
const tokens = await Promise.all(Array.from({ length: sockets }, (_, i) => signToken(SECRET, { sub: `user-${i}`, expiresInSeconds: 7200 })));
await driver.ask({ do: 'connect', speech: 'rain', port: Number(new URL(said.url).port), tokens });
for (const times of [1, 3]) {
  const before = cpuMs([child.pid!]);
  const { streamed: [s] } = await driver.ask({ do: 'stream', rainId: 'pressed', phases: [{ perSecond: rate * times, forMs }] }) as any;
  const cpu = cpuMs([child.pid!]) - before;
  console.log(times, 'offered', s.offered, 'decided', s.decided, 'busy', s.busy, 'unanswered', s.unanswered, 'p50/p99', s.decidedMs.p50.toFixed(0), s.decidedMs.p99.toFixed(0), 'cpu ms', cpu, 'share', (cpu / forMs).toFixed(2), 'µs/offered', (cpu * 1000 / s.offered).toFixed(1), 'driver', s.driverCpu.toFixed(2), 'late', s.lateMs.toFixed(0));
}
child.kill('SIGTERM'); await once(child, 'exit');
await driver.stop(); r.disconnect(); await redis.stop();
