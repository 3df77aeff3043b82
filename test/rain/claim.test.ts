import { describe, expect, test } from 'vitest';
import { claim, parseClaim } from '../../src/rain/claim.ts';
import { rainId, userId } from '../../src/rain/ids.ts';

const WIN = { rainId: 'spring-1', redPacketId: 'spring-1-42', amount: '12.21', userId: 'u:7', at: '1753900000123' };

describe('an entry of the claim log', () => {
  test('is read as it was written', () => {
    expect(parseClaim(JSON.stringify(WIN))).toEqual({ ok: true, claim: WIN });
  });

  test.each([
    ['not JSON', '{"rainId":', 'not JSON'],
    ['not an object', '"won"', 'claim: '],
    ['no user', JSON.stringify({ ...WIN, userId: undefined }), 'userId: '],
    ['an amount as a number', JSON.stringify({ ...WIN, amount: 12.21 }), 'amount: '],
    ['a zero amount', JSON.stringify({ ...WIN, amount: '0.00' }), 'amount: '],
    ['a negative amount', JSON.stringify({ ...WIN, amount: '-1.00' }), 'amount: '],
    ['an amount with half a cent', JSON.stringify({ ...WIN, amount: '1.005' }), 'amount: '],
    ['a packet id that cjson bent', JSON.stringify({ ...WIN, redPacketId: 1e15 }), 'redPacketId: '],
    ['a time that cjson bent', JSON.stringify({ ...WIN, at: '1.7539e+12' }), 'at: '],
    ['an empty packet id', JSON.stringify({ ...WIN, redPacketId: '' }), 'redPacketId: '],
  ])('[R12] with %s gets a reason, not an exception', (_name, entry, reason) => {
    const parsed = parseClaim(entry);
    expect(parsed.ok).toBe(false);
    expect(parsed.ok ? '' : parsed.reason).toContain(reason);
  });

  test('cannot set a prototype or a foreign field', () => {
    const parsed = parseClaim('{"__proto__":{"credited":true},"extra":1,' + JSON.stringify(WIN).slice(1));
    expect(parsed).toEqual({ ok: true, claim: WIN });
    expect(parsed.ok && 'credited' in parsed.claim).toBe(false);
  });
});

describe('ids', () => {
  test.each(['a', 'user@example.org', '红包', 'a'.repeat(128), '012345678901234567', 'with space'])(
    '%j may be a user',
    (id) => {
      expect(userId.safeParse(id).success).toBe(true);
    },
  );

  test.each(['', 'a'.repeat(129), 'line\nbreak', 'nul\0', 'half \ud800 pair', 7, null])(
    '[R12] %j may not be a user',
    (id) => {
      expect(userId.safeParse(id).success).toBe(false);
    },
  );

  test.each(['', 'a{b}', 'a:b', 'a/b', 'a b', 'x'.repeat(65), '雨'])(
    '[R12] %j would break the keys and is no rain',
    (id) => {
      expect(rainId.safeParse(id).success).toBe(false);
    },
  );

  test('a claim keeps all digits of an 18-digit id', () => {
    expect(claim.parse({ ...WIN, userId: '123456789012345678' }).userId).toBe('123456789012345678');
  });
});
