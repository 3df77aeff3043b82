import { describe, expect, test } from 'vitest';
import { awayMsOf, reconnectAfter, type LostConnection } from '../../src/client/reconnect.ts';
import { CLOSES, REFUSALS, type CloseCode } from '../../src/protocol/outcomes.ts';

const lost = (loss: LostConnection['loss'], more: Partial<LostConnection> = {}) =>
  reconnectAfter({ loss, freshToken: true, welcomed: true, failures: 0, ...more });
const closed = (code: number, more: Partial<LostConnection> = {}) => lost({ kind: 'closed', code }, more);
const refused = (status: number, more: Partial<LostConnection> = {}) =>
  lost({ kind: 'refused', status }, { welcomed: false, ...more });

test.each(Object.values(CLOSES))(
  '$code $reason: reconnects or not as in the table of codes',
  ({ code, reason, retry }) => {
    const reconnect = closed(code);
    if (retry === 'no') expect(reconnect).toEqual({ kind: 'never', code: reason });
    else expect(reconnect).toMatchObject({ kind: 'later', newToken: retry === 'reconnect with a new token' });
    // A minute means a minute.
    expect(reconnect).toMatchObject(code === CLOSES[4430].code ? { atLeastMs: 60_000 } : {});
  },
);

test.each(Object.values(REFUSALS).filter(({ reason }) => reason !== 'blocked'))(
  'refused with $status: only what may pass is tried again',
  ({ status, reason }) => {
    expect(refused(status)).toEqual(
      status === 429 || status === 503
        ? { kind: 'later', atLeastMs: 0, newToken: false }
        : { kind: 'never', code: reason },
    );
  },
);

test('a status of a proxy is reported unchanged', () => {
  expect(refused(418)).toEqual({ kind: 'never', code: 'http_418' });
  expect(refused(502)).toMatchObject({ kind: 'later' });
});

test('401 is final for a token that was fetched for this connection, and replaces an older token', () => {
  expect(refused(401, { freshToken: true })).toEqual({ kind: 'never', code: 'unauthorized' });
  expect(refused(401, { freshToken: false })).toEqual({ kind: 'later', atLeastMs: 0, newToken: true });
});

describe('a goodbye', () => {
  test('decides the moment, whatever the failures before', () => {
    for (const code of [1012, 1006, 1000])
      expect(closed(code, { awayMs: 700, failures: 9 })).toEqual({ kind: 'invited', afterMs: 700 });
  });

  test('does not open a door that was shut for good', () => {
    for (const code of [4403, 4429] satisfies CloseCode[])
      expect(closed(code, { awayMs: 700 })).toMatchObject({ kind: 'never' });
  });

  test.each([-1, NaN, Infinity, 1e12, '5', undefined])('that asks for %s is none', (ms) =>
    expect(awayMsOf(ms)).toBeUndefined(),
  );
  test.each([0, 500, 300_000])('that asks for %s ms is believed', (ms) => expect(awayMsOf(ms)).toBe(ms));
});

test('without a reason, the token is replaced after every second connection that did not reach the welcome', () => {
  const suspect = (failures: number, welcomed: boolean) => closed(1006, { failures, welcomed });
  expect([0, 1, 2, 3].map((failures) => suspect(failures, false))).toMatchObject(
    [false, true, false, true].map((newToken) => ({ newToken })),
  );
  expect([0, 1, 2, 3].map((failures) => suspect(failures, true))).toMatchObject(
    [false, false, false, false].map((newToken) => ({ newToken })),
  );
});
