import { setTimeout as sleep } from 'node:timers/promises';
import { execute } from '../../support/servers/postgres.ts';
import { thorough, type Fault } from '../fault.ts';
import type { Scene } from '../run.ts';

function freezeFor(ms: number) {
  return async ({ postgres }: Scene): Promise<void> => {
    postgres.freeze();
    await sleep(ms);
    postgres.thaw();
  };
}

export function postgresFaults(fault: Fault): void {
  fault('kill -9 of PostgreSQL, started again on its data', async ({ postgres, random }) => {
    await postgres.kill();
    await random.pause(0, 1_000);
    await postgres.start();
  });

  fault('SIGSTOP of PostgreSQL for 3 s', freezeFor(3_000), { when: 'swing' });

  if (thorough) fault('SIGSTOP of PostgreSQL for 60 s', freezeFor(60_000), { when: 'swing', runsMax: 1 });

  fault(
    'PostgreSQL refuses all connections for 2 s',
    async ({ databaseUrl }) => {
      const address = new URL(databaseUrl);
      const database = address.pathname.slice(1);
      address.pathname = '/postgres';
      await execute(address.href, `ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
      try {
        await execute(
          address.href,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
        );
        await sleep(2_000);
      } finally {
        await execute(address.href, `ALTER DATABASE ${database} ALLOW_CONNECTIONS true`);
      }
    },
    { when: 'swing' },
  );
}
