import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encode, orderFrame, plainBuyBody, resultFrame } from '../../src/protocol/codec.ts';
import { decodeBuyBody } from '../../src/protocol/http.ts';
import type { ClientMessage, ServerMessage } from '../../src/protocol/messages.ts';
import { ERRORS, OUTCOMES, OUTCOMES_IN_ORDER } from '../../src/protocol/outcomes.ts';
import { SALE_SERVER_MESSAGES } from '../../src/protocol/saleMessages.ts';
import { SALE_OUTCOMES, SALE_OUTCOMES_IN_ORDER } from '../../src/protocol/saleOutcomes.ts';
import { ORDER_STATUSES } from '../../src/sale/order.ts';
import { parseServerMessage } from '../../src/loadtest/bots/serverMessage.ts';

const rainId = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}(\.[1-9][0-9]{0,2})?$/);
/** Any text that fits, lone surrogates and NULs included: it is echoed, never interpreted. */
const anyText = fc
  .string({
    unit: fc.oneof(
      fc.string({ minLength: 1, maxLength: 1 }),
      fc.constantFrom('\0', '"', '\\', '\ud800', '\udfff', '红', '\u2028'),
    ),
    maxLength: 64,
  })
  .filter((text) => text.length <= 64);
const ticket = fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-]{0,128}$/), anyText);
const packet = fc.oneof(
  fc.nat(10_000),
  fc.maxSafeNat(),
  fc.constantFrom(0, 999_999_999_999_999, 1_000_000_000_000_000, Number.MAX_SAFE_INTEGER),
);
const hex = (bytesMax: number) =>
  fc.uint8Array({ minLength: 1, maxLength: bytesMax }).map((bytes) => Buffer.from(bytes).toString('hex'));
const clock = fc.double({ noNaN: true, noDefaultInfinity: true }).map((t) => (Object.is(t, -0) ? 0 : t));

const sku = fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/);
const purchaseRef = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/);
const quantity = fc.integer({ min: 1, max: 1_000 });

const clientMessage: fc.Arbitrary<ClientMessage> = fc.oneof(
  fc.record({ type: fc.constant('join' as const), rainId, ticket }, { requiredKeys: ['type', 'rainId'] }),
  fc.record({ type: fc.constant('grab' as const), rainId, ref: anyText, ticket }, { requiredKeys: ['type', 'rainId'] }),
  fc.record({
    type: fc.constant('solution' as const),
    rainId,
    challenge: fc.record({
      parameters: fc.record({
        algorithm: fc.constant('PBKDF2/SHA-256' as const),
        cost: fc.integer({ min: 1, max: 1_000_000 }),
        keyLength: fc.constant(32 as const),
        keyPrefix: hex(32),
        keySignature: hex(32),
        nonce: hex(64),
        salt: hex(64),
        data: fc.record({ until: fc.maxSafeNat() }),
      }),
      signature: hex(32),
    }),
    solution: fc.record({ counter: fc.maxSafeNat(), derivedKey: hex(32) }),
  }),
  fc.record({ type: fc.constant('ping' as const), t: clock }),
  fc.record({ type: fc.constant('visit' as const), saleId: rainId, ticket }, { requiredKeys: ['type', 'saleId'] }),
  fc.record(
    { type: fc.constant('buy' as const), saleId: rainId, sku, quantity, ref: purchaseRef, ticket },
    { requiredKeys: ['type', 'saleId', 'sku'] },
  ),
  fc.record({
    type: fc.constant('cancel' as const),
    saleId: rainId,
    reservationId: fc.stringMatching(/^[A-Za-z0-9_.-]{3,90}$/),
  }),
);

describe('the codec', () => {
  test('the gateway decodes exactly what a client encodes, whatever the ref', () => {
    fc.assert(
      fc.property(clientMessage, (message) => {
        expect(decode(JSON.stringify(message))).toEqual({ ok: true, message });
      }),
      { numRuns: 1_000 },
    );
  });

  test('a grab that is read without the parser gives the same message as with it, and a near match is left to the parser', () => {
    const text = fc.oneof(
      clientMessage.map((message) => JSON.stringify(message)),
      fc
        .tuple(
          fc.constantFrom('grab', 'join', 'gr\\u0061b'),
          fc.oneof(rainId, fc.string()),
          fc.option(fc.oneof(fc.string({ maxLength: 70 }), anyText)),
          fc.option(fc.oneof(ticket, fc.string({ maxLength: 140 }))),
          fc.option(
            fc.oneof(
              packet.map(String),
              fc.constantFrom('-1', '-0', '01', '1.5', '1e3', '9007199254740992', '1e400', '"1"', 'null', '', ' 7'),
            ),
          ),
        )
        .map(
          ([type, id, ref, shown, tapped]) =>
            `{"type":"${type}","rainId":"${id}"${ref === null ? '' : `,"ref":"${ref}"`}${shown === null ? '' : `,"ticket":"${shown}"`}${tapped === null ? '' : `,"packet":${tapped}`}}`,
        ),
    );
    // White space before a message changes nothing except which reader takes it.
    fc.assert(
      fc.property(text, (frame) => {
        expect(decode(frame)).toEqual(decode(` ${frame}`));
      }),
      { numRuns: 5_000 },
    );
  });

  test('a purchase that is read without the parser gives the same message as with it, and a near match is left to the parser', () => {
    const part = <T>(values: fc.Arbitrary<T>) =>
      fc.option(
        fc.oneof(
          values.map((value) => JSON.stringify(value)),
          fc.constantFrom('0', '-1', '1.5', '1e3', '01', '1001', '"1"', '"a b"', '""', '"\\u0041"', 'null'),
        ),
      );
    const text = fc
      .tuple(fc.oneof(rainId, fc.string()), part(sku), part(quantity), part(purchaseRef), part(ticket))
      .map(
        ([id, item, count, ref, shown]) =>
          `{"type":"buy","saleId":"${id}","sku":${item ?? '"tee"'}${count === null ? '' : `,"quantity":${count}`}${ref === null ? '' : `,"ref":${ref}`}${shown === null ? '' : `,"ticket":${shown}`}}`,
      );
    fc.assert(
      fc.property(text, (frame) => {
        expect(decode(frame)).toEqual(decode(` ${frame}`));
      }),
      { numRuns: 5_000 },
    );
  });

  test('the body of a purchase over HTTP that is read without the parser gives the same as with it', () => {
    const part = <T>(values: fc.Arbitrary<T>) =>
      fc.option(
        fc.oneof(
          values.map((value) => JSON.stringify(value)),
          fc.constantFrom('0', '-1', '1.5', '1e3', '01', '1001', '"1"', '"a b"', '""', '"\\u0041"', 'null'),
        ),
      );
    const text = fc
      .tuple(part(sku), part(quantity), part(ticket), fc.constantFrom('', ',"ref":"a"', ',"sku":"mug"', ' '))
      .map(
        ([item, count, shown, more]) =>
          `{"sku":${item ?? '"tee"'}${count === null ? '' : `,"quantity":${count}`}${shown === null ? '' : `,"ticket":${shown}`}${more}}`,
      );
    let plain = 0;
    fc.assert(
      fc.property(text, (body) => {
        if (plainBuyBody(body)) plain++;
        expect(decodeBuyBody(body)).toEqual(decodeBuyBody(` ${body}`));
      }),
      { numRuns: 5_000 },
    );
    expect(plain, 'read without the parser').toBeGreaterThan(100);
    expect(plainBuyBody(' {"sku":"tee"}'), 'the other way is the parser').toBeUndefined();
  });

  test('a grab that names a packet, as older clients do, is read as if it did not, whatever the value and position', () => {
    const named = fc.oneof(packet, fc.jsonValue());
    fc.assert(
      fc.property(
        clientMessage.filter(({ type }) => type === 'grab'),
        named,
        fc.boolean(),
        (message, what, first) => {
          const frame = JSON.stringify(first ? { packet: what, ...message } : { ...message, packet: what });
          expect(decode(frame)).toEqual({ ok: true, message });
        },
      ),
      { numRuns: 1_000 },
    );
    expect(decode('{"type":"join","rainId":"spring","packet":7}')).toMatchObject({
      ok: false,
      error: { code: 'bad_field' },
    });
  });

  test('[R6] the answer to a grab carries its ref, its code and its packet unchanged', () => {
    const wonPacket = fc.option(
      fc.record({
        redPacketId: anyText,
        amount: fc.constantFrom('0.01', '12.21', '90071992547409.91'),
        receipt: fc.stringMatching(/^[\w-]{22}$/),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        rainId,
        fc.option(anyText, { nil: undefined }),
        fc.constantFrom(...OUTCOMES_IN_ORDER.map(({ code }) => code)),
        wonPacket,
        (id, ref, code, won) => {
          const frame = resultFrame(id, ref, code, won);
          expect(JSON.parse(frame)).toEqual({
            type: 'result',
            rainId: id,
            ...(ref !== undefined && { ref }),
            code,
            reason: OUTCOMES[code].reason,
            ...won,
          });
          expect(parseServerMessage(frame)).toMatchObject({
            type: 'result',
            rainId: id,
            code,
            ...(ref !== undefined && { ref }),
            ...(won && { redPacketId: won.redPacketId, amount: won.amount }),
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  test('[R6] the answer to a purchase carries its ref, its code and what was reserved unchanged', () => {
    const moment = fc.integer({ min: 1_000_000_000_000, max: 9_999_999_999_999 });
    const reserved = fc.record(
      {
        reservationId: fc.stringMatching(/^[A-Za-z0-9_.-]{3,90}$/),
        sku,
        quantity,
        price: fc.constantFrom('0.00', '19.90'),
        status: fc.constantFrom(...ORDER_STATUSES),
        payBy: moment,
        place: fc.nat(),
        payUrl: fc.webUrl(),
      },
      { requiredKeys: ['reservationId', 'status'] },
    );
    const detail = fc.option(
      fc.oneof(
        reserved,
        moment.map((backAt) => ({ backAt })),
        fc.nat().map((retryInMs) => ({ retryInMs })),
      ),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        rainId,
        fc.option(purchaseRef, { nil: undefined }),
        fc.constantFrom(...SALE_OUTCOMES_IN_ORDER.map(({ code }) => code)),
        detail,
        (saleId, ref, code, more) => {
          const message: unknown = JSON.parse(orderFrame(saleId, ref, code, more));
          expect(message).toEqual({
            type: 'order',
            saleId,
            ...(ref !== undefined && { ref }),
            code,
            reason: SALE_OUTCOMES[code].reason,
            ...more,
          });
          expect(SALE_SERVER_MESSAGES.order.safeParse(message).error).toBeUndefined();
        },
      ),
      { numRuns: 500 },
    );
  });

  test('a simulated user decodes exactly what the gateway encodes', () => {
    const serverMessage: fc.Arbitrary<ServerMessage> = fc.oneof(
      fc.record({ type: fc.constant('pong' as const), t: clock, serverTime: clock }),
      fc.record({ type: fc.constant('ticket' as const), rainId, ticket: anyText, expiresAt: fc.maxSafeNat() }),
      fc.record({ type: fc.constant('credited' as const), rainId, redPacketId: anyText, amount: anyText }),
      fc.record({
        type: fc.constant('goodbye' as const),
        reason: fc.constant('service_restart' as const),
        reconnectInMs: fc.nat(300_000),
      }),
      fc.record({
        type: fc.constant('error' as const),
        code: fc.constantFrom(...Object.values(ERRORS).map(({ code }) => code)),
        reason: anyText,
      }),
    );
    fc.assert(
      fc.property(serverMessage, (message) => {
        const frame = encode(message);
        expect(JSON.parse(frame)).toEqual(message);
        expect(message).toMatchObject(parseServerMessage(frame)!);
      }),
      { numRuns: 500 },
    );
  });

  test('[R12] any other input gets a coded refusal of bounded length, and never an exception', () => {
    const value = fc.oneof(
      fc.string(),
      fc.json(),
      fc.anything({ withNullPrototype: true }).map((thing) => {
        try {
          return JSON.stringify(thing) ?? '';
        } catch {
          return 'neither';
        }
      }),
      clientMessage.chain((message) => {
        const text = JSON.stringify(message);
        return fc.nat(text.length).map((at) => text.slice(0, at));
      }),
    );
    fc.assert(
      fc.property(value, (text) => {
        const decoded = decode(text);
        if (decoded.ok) return;
        expect(decoded.error.code in ERRORS).toBe(true);
        expect(decoded.error.reason.length).toBeGreaterThan(0);
        expect(decoded.error.reason.length).toBeLessThanOrEqual(200);
      }),
      { numRuns: 2_000 },
    );
  });
});
