// One job and one Prisma transaction per claim: how the wins of socketIo.ts reach their accounts.
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { connectDatabase } from '../../src/ledger/database.ts';
import { parseMoney } from '../../src/rain/money.ts';
import { announce, DATABASE_URL, REDIS_URL } from './surroundings.ts';

interface ClaimJob {
  rainId: string;
  userId: string;
  redPacketId: string;
  amount: string;
}

const CONCURRENCY = 16;
const database = connectDatabase(DATABASE_URL, { connectionsMax: CONCURRENCY });

new Worker<ClaimJob>(
  'claims',
  async ({ data: { rainId, userId, redPacketId, amount } }) => {
    const [amountCents, creditAccountId] = [parseMoney(amount)!, `user:${userId}`];
    // The database updates both balances in the same transaction.
    await database.transfer.create({
      data: {
        id: `credit:${redPacketId}`,
        kind: 'credit',
        debitAccountId: `rain:${rainId}`,
        creditAccountId,
        amountCents,
        rainId,
        redPacketId,
        userId,
      },
    });
  },
  { connection: new Redis(REDIS_URL, { maxRetriesPerRequest: null }), concurrency: CONCURRENCY },
);
announce(0);
