import { signatureOf } from '../../../src/platform/auth/requestSignature.ts';
import { SECRET } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { SIGNING_SECRET } from '../../support/signer.ts';
import { ask } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import { enter, inShort, type Heard, type Line, type Player } from '../player.ts';
import { SHOP_SECRET, type Scene } from '../scene.ts';

type Entered = Player & Line;
const MINUTE_MS = 60_000;
const AT_ONCE = 20;

export const replays: Family = {
  name: 'replays',
  async attack(scene, attempts) {
    const saleId = await scene.sale();
    const [ann, eve] = [await enter(scene, 'replay-ann'), await enter(scene, 'replay-eve')];
    await keys(attempts, { ann, eve, saleId });
    await receipts(scene, attempts, { ann, eve });
    await grabs(scene, attempts, ann);
    await callbacks(scene, attempts, { ann, eve, saleId });
    for (const line of [ann, eve]) await line.leave();
  },
};

/** The Idempotency-Key of a purchase over HTTP, and its `ref` over a socket. */
async function keys(
  attempts: Attempts,
  { ann, eve, saleId }: { ann: Entered; eve: Entered; saleId: string },
): Promise<void> {
  const overHttp = async (player: Player, key: string, body: object = {}): Promise<Heard & { status: number }> => {
    const { status, json } = await player.request(`/v1/sales/${saleId}/buy`, {
      method: 'POST',
      headers: { 'idempotency-key': key },
      body: { sku: 'tee', ...body },
    });
    return { ...(json as Heard), status };
  };
  const first = await overHttp(ann, 'key-1');
  attempts.control('a purchase with a key', `${first.status} ${inShort(first)}`, '200 order 0');
  const foreign = await overHttp(eve, 'key-1');
  attempts.refused(
    "another user's key brings that user's reservation",
    foreign['reservationId'] === first['reservationId'],
    false,
  );
  attempts.control("it is a purchase of one's own", inShort(foreign), 'order 0');
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, i) =>
      i % 2 === 0 ? overHttp(ann, 'key-2') : ann.ask({ type: 'buy', saleId, sku: 'tee', ref: 'key-2' }, 'order'),
    ),
  );
  attempts.refused(
    `one key, ${AT_ONCE} times at once over HTTP and a socket: reservations`,
    new Set(answers.map(({ reservationId }) => reservationId)).size,
    1,
  );
  attempts.refused(
    'the same with another quantity',
    `${(await overHttp(ann, 'key-1', { quantity: 2 })).status} ${inShort(await overHttp(ann, 'key-1', { quantity: 2 }))}`,
    '422 order -16',
  );
  const otherQuantity = () => ann.ask({ type: 'buy', saleId, sku: 'tee', quantity: 3, ref: 'key-1' }, 'order');
  const heard = await otherQuantity();
  // Its order may be written just now, which is announced once.
  attempts.refused(
    'the same with another quantity over a socket',
    inShort(heard['reservationId'] === first['reservationId'] && heard['code'] === '1' ? await otherQuantity() : heard),
    'order -16',
  );
  attempts.refused(
    'no key, where a buyer may have several units',
    (await ann.request(`/v1/sales/${saleId}/buy`, { method: 'POST', body: { sku: 'tee' } })).status,
    400,
  );
  attempts.refused(
    'the key twice',
    (
      await ann.request(`/v1/sales/${saleId}/buy`, {
        method: 'POST',
        headers: { 'idempotency-key': ['key-1', 'key-3'] },
        body: { sku: 'tee' },
      })
    ).status,
    [400, 422],
  );
  const again = await overHttp(ann, 'key-1');
  attempts.control(
    'the same purchase again is the same order',
    `${inShort(again)} ${again['reservationId'] === first['reservationId']}`,
    'order 1 true',
  );
}

async function receipts(scene: Scene, attempts: Attempts, { ann, eve }: { ann: Entered; eve: Entered }): Promise<void> {
  const [rainId, other] = [await scene.rain(), await scene.rain()];
  const won = await ann.ask({ type: 'grab', rainId }, 'result');
  const { redPacketId, amount, receipt } = won as Heard & { redPacketId: string; amount: string; receipt: string };
  const genuine = { rainId, redPacketId, amount, receipt };
  const show = async (line: Line, changed: object) =>
    String(
      (await line.ask({ type: 'receipt', ...genuine, ...changed }, 'receipt_status', 'error'))['status'] ?? 'error',
    );
  const changes: [string, object][] = [
    ['of another rain', { rainId: other }],
    ['of a rain that there is not', { rainId: 'nowhere' }],
    ['of more money', { amount: '100.00' }],
    ['of a cent less', { amount: '0.01' }],
    ['of another packet', { redPacketId: `${rainId}-0x` }],
    ['of nothing but A', { receipt: 'A'.repeat(22) }],
    ['with another letter', { receipt: `${receipt.startsWith('A') ? 'B' : 'A'}${receipt.slice(1)}` }],
    [
      'in small letters',
      { receipt: receipt.toLowerCase() === receipt ? receipt.toUpperCase() : receipt.toLowerCase() },
    ],
    ['cut short', { receipt: receipt.slice(1) }],
    ['with leading zeros', { amount: `0${amount}` }],
  ];
  for (const [what, change] of changes)
    attempts.refused(`a receipt ${what}`, await show(ann, change), ['not_genuine', 'error']);
  attempts.refused("another user's receipt", await show(eve, {}), 'not_genuine');
  attempts.control('the receipt as it came', await show(ann, {}), 'known');
  attempts.refused(
    'the same receipt again and again: what it does',
    [await show(ann, {}), await show(ann, {})].join(' '),
    'known known',
  );
}

/** The same grab many times: one packet, and one transfer in the ledger. */
async function grabs(scene: Scene, attempts: Attempts, ann: Entered): Promise<void> {
  const rainId = await scene.rain();
  const sockets = [ann, ...(await Promise.all([1, 2, 3].map(() => ann.connect())))];
  const results = await Promise.all(
    sockets.flatMap((line) =>
      Array.from({ length: 5 }, () => line.ask({ type: 'grab', rainId, ref: 'same' }, 'result')),
    ),
  );
  attempts.refused(
    'a grab twenty times over four sockets: packets',
    new Set(results.map(({ redPacketId }) => redPacketId)).size,
    1,
  );
  const credits = () => scene.deployment.database.transfer.findMany({ where: { rainId, kind: 'credit' } });
  attempts.control(
    'the packet is credited',
    await eventually(async () => (await credits()).length > 0 && String((await credits())[0]!.userId)),
    ann.userId,
  );
  attempts.refused('transfers of that rain', (await credits()).length, 1);
  for (const line of sockets.slice(1)) await line.leave();
}

interface Callback {
  status?: string;
  secret?: string;
  at?: number | string;
  /** The signed bytes; default: the sent ones. */
  signed?: string;
  body?: string;
  /** The order of the address. */
  address?: string;
  headers?: (timestamp: string, signature: string) => Record<string, string | string[]>;
}

/** Reports of the shop: only its own, of now, of these very bytes. */
async function callbacks(
  scene: Scene,
  attempts: Attempts,
  { ann, eve, saleId }: { ann: Entered; eve: Entered; saleId: string },
): Promise<void> {
  const buy = async (player: Entered, ref: string) =>
    String((await player.ask({ type: 'buy', saleId, sku: 'tee', ref }, 'order'))['reservationId']);
  const [mine, hers] = [await buy(eve, 'to-pay'), await buy(ann, 'to-pay')];
  const statusOf = async (orderId: string) => (await scene.context.ledger.order(orderId))?.status;
  await eventually(async () => (await statusOf(mine)) === 'created' && (await statusOf(hers)) === 'created');
  const from = scene.address();
  const report = async (
    orderId: string,
    {
      status = 'paid',
      secret = SHOP_SECRET,
      at = Date.now(),
      body = JSON.stringify({ orderId, status }),
      signed = body,
      address = orderId,
      headers,
    }: Callback = {},
  ) => {
    const signature = signatureOf(secret, String(at), signed);
    const answer = await ask(scene.console.port, `/api/shop/orders/${address}`, {
      method: 'POST',
      from,
      body,
      headers: {
        'content-type': 'application/json',
        ...(headers?.(String(at), signature) ?? { 'rain-timestamp': String(at), 'rain-signature': signature }),
      },
    });
    return `${answer.status} ${String(answer.json?.['code'] ?? answer.json?.['outcome'])}`;
  };
  const paid = JSON.stringify({ orderId: mine, status: 'paid' });
  const tries: [string, Callback][] = [
    ['without headers', { headers: () => ({}) }],
    ['without time', { headers: (_, signature) => ({ 'rain-signature': signature }) }],
    ['without signature', { headers: (time) => ({ 'rain-timestamp': time }) }],
    ['with an empty signature', { headers: (time) => ({ 'rain-timestamp': time, 'rain-signature': '' }) }],
    ['signed with a guess', { secret: 'a guess of thirty-two characters or more' }],
    ['signed with the secret of the tokens', { secret: SECRET }],
    ['signed with the secret of the packets', { secret: SIGNING_SECRET }],
    ['signed six minutes ago', { at: Date.now() - 6 * MINUTE_MS }],
    ['signed in six minutes', { at: Date.now() + 6 * MINUTE_MS }],
    ['signed at a time in seconds', { at: Math.floor(Date.now() / 1_000) }],
    ['signed at no time', { at: 'NaN' }],
    [
      'signed at a time with blanks',
      { headers: (time, signature) => ({ 'rain-timestamp': `${time} 0`, 'rain-signature': signature }) },
    ],
    [
      'with another time than was signed',
      { headers: (time, signature) => ({ 'rain-timestamp': String(Number(time) + 1), 'rain-signature': signature }) },
    ],
    [
      'of another version',
      { headers: (time, signature) => ({ 'rain-timestamp': time, 'rain-signature': signature.replace('v1=', 'v0=') }) },
    ],
    [
      'in capital letters',
      { headers: (time, signature) => ({ 'rain-timestamp': time, 'rain-signature': signature.toUpperCase() }) },
    ],
    [
      'cut short',
      { headers: (time, signature) => ({ 'rain-timestamp': time, 'rain-signature': signature.slice(0, -2) }) },
    ],
    ['signed for another status', { signed: JSON.stringify({ orderId: mine, status: 'failed' }) }],
    ['signed for another order', { signed: JSON.stringify({ orderId: hers, status: 'paid' }) }],
    ['with a blank more than was signed', { body: `${paid} `, signed: paid }],
    ['signed for nothing', { signed: '' }],
    [
      'with two signatures',
      { headers: (time, signature) => ({ 'rain-timestamp': time, 'rain-signature': ['v1=00', signature] }) },
    ],
  ];
  for (const [what, callback] of tries)
    attempts.refused(`a report ${what}`, await report(mine, callback), ['401 not_signed', '401 old_timestamp']);
  attempts.refused(
    'a report of one order at the address of another, signed',
    await report(mine, { address: hers }),
    '400 bad_request',
  );
  attempts.refused(
    'a status that a shop does not tell, signed',
    await report(mine, { status: 'created' }),
    '400 bad_request',
  );
  attempts.refused('an order that there is not, signed', await report(`${saleId}-999999`), [
    '404 no_such_order',
    '425 not_yet',
  ]);
  attempts.refused('the order after all of these', await statusOf(mine), 'created');
  attempts.refused('the order of another user after all of these', await statusOf(hers), 'created');
  const at = Date.now();
  attempts.control('a report that the shop has signed', await report(mine, { at }), '200 done');
  attempts.refused('the very same report again', await report(mine, { at }), '200 was');
  attempts.control('a refund that the shop has signed', await report(mine, { status: 'refunded' }), '200 done');
  attempts.refused('the report of the payment again, after the refund', await report(mine, { at }), '200 was');
  attempts.refused('the order after the replay', await statusOf(mine), 'refunded');
  attempts.refused(
    'a paid order of another user at the demo shop',
    (await ask(scene.console.port, '/api/demo-shop/pay', { method: 'POST', from, body: { reservationId: hers } }))
      .status,
    404,
  );
}
