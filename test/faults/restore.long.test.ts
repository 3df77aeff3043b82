import { postgresInstalled } from '../support/servers/postgres.ts';
import { testFault } from './fault.ts';
import { playDrill, type Drill } from './restore/drill.ts';
import { playExpired } from './restore/expired.ts';

const DRILLS: Record<string, Drill> = {
  'restore of PostgreSQL, everything else runs on': { restored: ['postgres'], gateways: 'kept', paidBy: 'ledger' },
  'restore of Redis, the gateways run on': { restored: ['redis'], gateways: 'kept', paidBy: 'ledger' },
  'restore of Redis, the gateways are restarted': { restored: ['redis'], gateways: 'restarted', paidBy: 'ledger' },
  'restore of both from one moment, the gateways are restarted': {
    restored: ['postgres', 'redis'],
    gateways: 'restarted',
    paidBy: 'ledger',
  },
  'restore of both, Redis newer, the gateways are restarted': {
    restored: ['postgres', 'redis'],
    gateways: 'restarted',
    paidBy: 'ledger',
    redisLater: true,
  },
  'restore of PostgreSQL, paid by a wallet': { restored: ['postgres'], gateways: 'kept', paidBy: 'webhook' },
  'restore of both from one moment, the gateways are restarted, paid by a wallet': {
    restored: ['postgres', 'redis'],
    gateways: 'restarted',
    paidBy: 'webhook',
  },
};

for (const [name, drill] of Object.entries(DRILLS))
  testFault(name, () => playDrill(drill), { possible: postgresInstalled, runsMax: 1 });
testFault('restore of PostgreSQL from before a settlement whose keys have expired', playExpired, {
  possible: postgresInstalled,
  runsMax: 1,
});
