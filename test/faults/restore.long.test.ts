import { postgresInstalled } from '../support/servers/postgres.ts';
import { asked, testFault } from './fault.ts';
import { openPool } from './pool.ts';
import { playDrill, type Drill } from './restore/drill.ts';
import { playExpired } from './restore/expired.ts';

const DRILLS: Record<string, Drill> = {
  'restore of PostgreSQL, everything else runs on': { restored: ['postgres'], gateways: 'kept', paidBy: 'ledger' },
  'restore of Redis, the gateways run on': { restored: ['redis'], gateways: 'kept', paidBy: 'ledger' },
  'restore of Redis, the gateways are restarted': { restored: ['redis'], gateways: 'restarted', paidBy: 'ledger' },
  'restore of both from one moment, the gateways are restarted': { restored: ['postgres', 'redis'], gateways: 'restarted', paidBy: 'ledger' },
  'restore of both, Redis newer, the gateways are restarted': { restored: ['postgres', 'redis'], gateways: 'restarted', paidBy: 'ledger', redisLater: true },
  'restore of PostgreSQL, paid by a wallet': { restored: ['postgres'], gateways: 'kept', paidBy: 'webhook' },
  'restore of both from one moment, the gateways are restarted, paid by a wallet': { restored: ['postgres', 'redis'], gateways: 'restarted', paidBy: 'webhook' },
};

/** Each deploys a system of its own, and then mostly waits for what the system does by itself. */
const AT_ONCE = asked ? 1 : 3;
const places = openPool(async () => ({ end: async () => {} }), AT_ONCE);
const options = { possible: postgresInstalled, runsMax: 1, concurrent: AT_ONCE > 1 };

for (const [name, drill] of Object.entries(DRILLS)) testFault(name, () => places.lend(() => playDrill(drill)), options);
testFault('restore of PostgreSQL from before a settlement whose keys have expired', () => places.lend(playExpired), options);
