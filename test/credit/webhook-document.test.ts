import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { claimIdOf } from '../../src/credit/claimId.ts';
import { readPaidBefore, readReceipts, readResults } from '../../src/credit/walletAnswer.ts';
import { signatureOf } from '../../src/platform/auth/requestSignature.ts';
import { whenPaidBefore, whenPaidNow } from '../../src/credit/walletProof.ts';
import { readStatement, type StatementRow } from '../../src/operator/reconcile/statement.ts';
import { CLAIM_RETRY_POLICY } from '../../src/credit/retryPolicy.ts';
import { configSchema } from '../../src/platform/config.ts';
import { RETRY_AFTER_MS_MAX } from '../../src/platform/network/retryAfter.ts';
import { verify } from './wallet.ts';

const page = readFileSync(new URL('../../docs/reference/webhook.md', import.meta.url), 'utf8');
const secret = /secret `([^`]+)`/.exec(page)![1]!;
const timestamp = /Rain-Timestamp: (\d+)/.exec(page)![1]!;
const signature = /Rain-Signature: (\S+)/.exec(page)![1]!;
const body = /^ {4}(\{"claimId".*)$/m.exec(page)![1]!;
const headers = { 'rain-timestamp': timestamp, 'rain-signature': signature };
const now = Number(timestamp) + 1_000;

test('the example on the page is signed as the worker signs, and its code says so', () => {
  expect(signatureOf(secret, timestamp, body)).toBe(signature);
  expect(verify(secret, headers, Buffer.from(body), now)).toBe(true);
});

test('the code on the page takes nothing that was changed, forged, or kept for later', () => {
  const forged = (differing: Record<string, string | string[] | undefined>, text = body, at = now, by = secret) =>
    verify(by, { ...headers, ...differing }, Buffer.from(text), at);
  expect(forged({})).toBe(true);
  expect(forged({}, body.replace('12.21', '99.21'))).toBe(false);
  expect(forged({}, `${body} `)).toBe(false);
  expect(forged({}, body, now, `${secret}!`)).toBe(false);
  expect(forged({ 'rain-timestamp': String(now) })).toBe(false);
  for (const late of [-1, 1]) expect(forged({}, body, Number(timestamp) + late * 301_000)).toBe(false);
  for (const text of [
    undefined,
    '',
    'v1=',
    'v1=zz',
    signature.slice(3),
    `v2${signature.slice(2)}`,
    `${signature}00`,
    signature.toUpperCase(),
  ])
    expect(forged({ 'rain-signature': text })).toBe(false);
  for (const text of [undefined, '', 'now', '1795000000']) expect(forged({ 'rain-timestamp': text })).toBe(false);
  // The dot keeps what belongs to the timestamp apart from what belongs to the body.
  const moved = createHmac('sha256', secret).update(`${timestamp}${body}`).digest('hex');
  expect(forged({ 'rain-signature': `v1=${moved}` })).toBe(false);
});

test('the answers on the page are read as the page says', () => {
  const example = (start: string) => new RegExp(`^ {4,6}(${start}[^]*?\\})\\n\\n`, 'm').exec(page)![1]!;
  const asked = { claimId: '8f3k-17:ann:12.21', idForm: 'webhook_v2', userId: 'ann', amount: '12.21' } as const;
  expect(JSON.parse(body)).toMatchObject({
    claimId: claimIdOf('webhook_v2', { redPacketId: '8f3k-17', userId: 'ann', amount: '12.21' }),
  });
  const again = { outcome: 'reconsumeLater', detail: '' } as const;
  const batch = example('\\{"results"');
  expect([...readResults(batch)!.values()].map(({ status }) => status)).toEqual(['done', 'already', 'refused']);
  const header = /^ {4}Rain-Receipt: (8f3k.*)$/m.exec(page)![1]!;
  for (const receipts of [readReceipts(batch), readReceipts(example('\\{"receipts"')), readReceipts('', header)]) {
    expect(whenPaidNow(asked, receipts.get(asked.claimId) ?? [], 'required', again)).toEqual({ outcome: 'taken' });
  }
  const conflict = /^ {6}(\{"claimId".*)$/m.exec(page)![1]!;
  expect(
    whenPaidBefore({ ...asked, idForm: 'webhook' }, readPaidBefore(conflict, asked.claimId), 'required', again),
  ).toEqual({ outcome: 'taken' });
});

test('the statement on the page is read', async () => {
  const statement = /^ {4}(id,amount,time,user)\n {4}(8f3k.*)$/m.exec(page)!;
  const rows: StatementRow[] = [];
  for await (const row of readStatement(Readable.from([Buffer.from(statement.slice(1).join('\n'))]))) rows.push(row);
  expect(rows).toEqual([
    { line: 2, id: '8f3k-17:ann:12.21', amountCents: 1221n, time: '2026-12-31T20:00:03+08:00', userId: 'ann' },
  ]);
});

test('what the page says in figures is what the code does', () => {
  const { PAYOUT_PROVIDER, WEBHOOK_RECEIPTS, WEBHOOK_BATCH_MAX, WEBHOOK_TIMEOUT_MS } = configSchema.parse({});
  for (const [name, value] of Object.entries({
    PAYOUT_PROVIDER,
    WEBHOOK_RECEIPTS,
    WEBHOOK_BATCH_MAX,
    WEBHOOK_TIMEOUT_MS,
  })) {
    expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\|.*\\| \`?${value}\`? \\|$`, 'm'));
  }
  expect([CLAIM_RETRY_POLICY, RETRY_AFTER_MS_MAX]).toEqual([
    { firstDelayMs: 500, delayMsMax: 5 * 60_000, attemptsMax: 40, totalMsMax: 2 * 3_600_000 },
    10 * 60_000,
  ]);
  for (const words of ['half a second', 'five minutes', '40 times', 'two hours', 'ten minutes'])
    expect(page).toContain(words);
});
