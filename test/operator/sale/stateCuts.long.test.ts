import { expect, test } from 'vitest';
import { repairSale } from '../../../src/operator/sale/repair.ts';
import { endSale, pauseSale, resumeSale } from '../../../src/operator/sale/transitions.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { Cut, cutContext } from '../cut.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;

test.each(['before', 'after'] as const)(
  'a pause, a resume and an end that are cut %s any step are finished by a repetition, and by the repair',
  async (when) => {
    for (const [verb, right] of [
      [pauseSale, 'paused'],
      [resumeSale, 'loaded'],
      [endSale, 'closed'],
    ] as const)
      for (let at = 1, isCut = true; isCut; at++) {
        const id = `cut-${right}-${when}-${at}`;
        await stage.open(id);
        if (right === 'loaded') await pauseSale(context, id);
        isCut = await verb(cutContext(context, at, when), id).then(
          () => false,
          (error: unknown) => {
            if (!(error instanceof Cut)) throw error;
            return true;
          },
        );
        const before = await stage.audit(id);
        expect(before.tampering).toEqual([]);
        await repairSale(context, id, async () => {});
        expect((await stage.audit(id)).problems).toEqual([]);
        expect(await verb(context, id)).toMatchObject({ ok: true });
        expect([await context.redis.hget(saleKeys(id).state, 'state'), (await stage.audit(id)).problems]).toEqual([
          right,
          [],
        ]);
      }
  },
);
