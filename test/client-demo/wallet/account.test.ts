import { expect, test } from 'vitest';
import { toAccount } from '../../../client-demo/src/wallet/account.ts';

const PACKET = {
  rainId: 'r',
  title: 'Rain',
  redPacketId: 'p',
  amount: '1.00',
  at: '2026-02-17T12:00:00.000Z',
  status: 'credited',
};

test('an account is parsed, with defaults for optional fields', () => {
  expect(
    toAccount({
      userId: 'ann',
      wallet: '12.21',
      pending: '0.50',
      settled: true,
      packets: [PACKET, { ...PACKET, status: 'held', rehearsal: true }],
    }),
  ).toEqual({
    wallet: '12.21',
    pending: '0.50',
    more: false,
    late: false,
    packets: [
      { ...PACKET, rehearsal: false },
      { ...PACKET, status: 'held', rehearsal: true },
    ],
  });
  expect(toAccount({ wallet: '1.00', packets: [], next: 'x', settled: false })).toEqual({
    wallet: '1.00',
    pending: '0.00',
    packets: [],
    more: true,
    late: true,
  });
});

test.each([[undefined], [null], ['text'], [{}], [{ wallet: 1, packets: [] }], [{ wallet: '1.00' }]])(
  '%j is no account',
  (value) => {
    expect(toAccount(value)).toBeUndefined();
  },
);

test('[R10] invalid packets are left out, and so are packets above the limit', () => {
  const packets = [
    null,
    'p',
    { ...PACKET, status: 'lost' },
    { ...PACKET, amount: 1 },
    ...Array.from({ length: 80 }, () => PACKET),
  ];
  expect(toAccount({ wallet: '1.00', packets })).toMatchObject({
    more: true,
    packets: Array.from({ length: 50 }, () => ({ ...PACKET, rehearsal: false })),
  });
});
