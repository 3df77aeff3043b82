import { afterAll, beforeAll, expect } from 'vitest';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain, type CreateRequest } from '../../src/operator/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { loadRain } from '../../src/operator/load.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { claimLog, openTestContext, type TestContext } from '../support/operatorContext.ts';

export const even = (budget: string, packets: number) => ({ budget, packets, split: { method: 'even' } });

/**
 * Rounds of campaigns at an operator context of this file: how they are made, ended and settled, and what became of
 * their money.
 */
export function openRounds() {
  let context: TestContext;
  beforeAll(async () => {
    context = await openTestContext();
  });
  afterAll(() => context.stop());

  async function round(
    id: string,
    number: number,
    more: Partial<CreateRequest> & { load?: boolean } = {},
  ): Promise<void> {
    const { load = true, ...request } = more;
    const now = await redisNow(context.redis);
    expect(
      await createRain(context, {
        campaign: { id, round: number },
        plan: even('4.00', 4),
        opensAt: now - 1_000,
        closesAt: now + 600_000,
        ...request,
      }),
    ).toMatchObject({ ok: true });
    if (load) await loadRain(context, `${id}.${number}`);
  }

  const settle = async (rainId: string, at: OperatorContext = context) =>
    settleRain(at, rainId, (await findRain(context.redis, rainId))!);
  async function end(rainId: string, ...users: string[]): Promise<void> {
    if (users.length > 0)
      await createGrabEngine(context.redis, (fault) => {
        throw fault;
      }).grab(rainId, 0, users);
    await closeRain(context, rainId);
    await context.ledger.credit(await claimLog(context, rainId));
  }

  const told = async (rainId: string) =>
    (await context.ledger.actions(rainId)).filter(({ verb }) => verb === 'roll-over').map(({ details }) => details);
  const report = async (rainId: string) => (await auditRain(context, rainId))!.report;
  async function expectInOrder(...rainIds: string[]): Promise<void> {
    for (const rainId of rainIds)
      expect((await auditRain(context, rainId))!, rainId).toMatchObject({ report: { balanced: true }, problems: [] });
    expect(await context.ledger.sumOfBalances()).toBe(0n);
  }
  return { context: () => context, round, settle, end, told, report, expectInOrder };
}
