import { expect, test } from 'vitest';
import type { PostOutcome } from '../../src/credit/payoutProvider.ts';
import { signedOnly } from '../../src/credit/signedOnly.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { signer } from '../support/signer.ts';

function open(isOurs: boolean) {
  const posted: string[] = [];
  const provider = signedOnly(
    {
      async post(_rainId: string, claims: readonly Claim[]): Promise<PostOutcome[]> {
        posted.push(...claims.map(({ userId }) => userId));
        return claims.map(() => ({ outcome: 'commit' }));
      },
    },
    { isGenuine: signer.isGenuine, isOurs: async () => isOurs },
  );
  return { provider, posted };
}

const claim = (userId: string, mac?: string, amount = '1.00'): Claim => ({
  rainId: 'r',
  redPacketId: `r-${userId}`,
  amount,
  userId,
  at: '1795000000000',
  ...(mac !== undefined && { mac }),
});
const genuine = (userId: string) => claim(userId, signer.packetMac('r', `r-${userId}`, '1.00'));

test('[R14] a claim whose packet nobody signed is given up, also if the plan holds the packet; those beside it are paid', async () => {
  const { provider, posted } = open(true);
  const raised = { ...genuine('raised'), amount: '9.00' };
  expect(
    (
      await provider.post('r', [
        genuine('ann'),
        claim('bare', ''),
        claim('false', 'A'.repeat(16)),
        raised,
        genuine('bob'),
      ])
    ).map(({ outcome }) => outcome),
  ).toEqual(['commit', 'giveUp', 'giveUp', 'giveUp', 'commit']);
  expect(posted).toEqual(['ann', 'bob']);
  expect(await provider.post('r', [claim('bare', '')])).toEqual([
    expect.objectContaining({ outcome: 'giveUp', reason: 'not_in_plan' }),
  ]);
});

test('a claim from before packets were signed is paid', async () => {
  const { provider, posted } = open(true);
  expect(await provider.post('r', [claim('old')])).toEqual([{ outcome: 'commit' }]);
  expect(posted).toEqual(['old']);
});

test('with another key nothing is given up: its claims wait until the process has the right one', async () => {
  const { provider, posted } = open(false);
  expect(
    (await provider.post('r', [genuine('ann'), claim('other', 'A'.repeat(16))])).map(({ outcome }) => outcome),
  ).toEqual(['commit', 'reconsumeLater']);
  expect(posted).toEqual(['ann']);
});
