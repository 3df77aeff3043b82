import { eventually } from '../../support/eventually.ts';
import { ask } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import { enter, inShort, type Heard, type Line, type Player } from '../player.ts';
import type { Scene } from '../scene.ts';

type Entered = Player & Line;

/** Everything that one message tells another user of, without the ids that the asker has named. */
const bare = (heard: Heard): string => JSON.stringify({ ...heard, serverTime: undefined, t: undefined });

export const others: Family = {
  name: 'what belongs to others',
  async attack(scene, attempts) {
    const [saleId, rainId] = [await scene.sale(), await scene.rain()];
    const [ann, eve] = [await enter(scene, 'other-ann'), await enter(scene, 'other-eve')];
    // Watches both, so that whatever is told to all of a sale or rain comes here, too.
    await eve.ask({ type: 'visit', saleId }, 'sale');
    await eve.ask({ type: 'join', rainId }, 'rain');
    const bought = await ann.ask({ type: 'buy', saleId, sku: 'tee', quantity: 2, ref: 'of-ann' }, 'order');
    const reservationId = String(bought['reservationId']);
    const won = await ann.ask({ type: 'grab', rainId }, 'result');
    attempts.control(
      'the buyer has an order, and the packet of a rain',
      `${inShort(bought)} ${inShort(won)}`,
      'order 0 result 0',
    );
    await eventually(() => ann.heard.some(({ type, status }) => type === 'order' && status === 'created'));
    await orders(attempts, { ann, eve, saleId, reservationId });
    await cancelling(attempts, { ann, eve, saleId, reservationId });
    await wallets(scene, attempts, { ann, eve, won });
    const own = await receipts(attempts, { ann, eve, rainId, won });
    await eve.settle();
    const leaked =
      eve.heard.filter(
        (heard) => ['order', 'credited', 'ticket'].includes(heard.type) && JSON.stringify(heard).includes('other-ann'),
      ).length +
      eve.heard.filter(({ type, status }) => type === 'order' && status !== undefined).length +
      eve.heard.filter(({ type, redPacketId }) => type === 'credited' && redPacketId !== own).length;
    attempts.refused("orders and credits of another user that came over one's own socket", leaked, 0);
    attempts.refused(
      'winners that are named in full',
      eve.heard.some((heard) => heard.type === 'winners' && JSON.stringify(heard).includes('other-ann')),
      false,
    );
    for (const line of [ann, eve]) await line.leave();
  },
};

async function orders(
  attempts: Attempts,
  { ann, eve, saleId, reservationId }: { ann: Entered; eve: Entered; saleId: string; reservationId: string },
): Promise<void> {
  const ordinal = Number(reservationId.slice(saleId.length + 1));
  const answerOf = async (player: Player, id: string, query = '') => {
    const { status, text } = await player.request(`/v1/orders/${id}${query}`);
    return `${status} ${text}`;
  };
  const nowhere = await answerOf(eve, `${saleId}-999999`);
  attempts.control("an order of one's own", await answerOf(ann, reservationId), /^200 .*"status":"created"/);
  attempts.control('one that there is not is 404', nowhere, /^404 /);
  for (const query of ['', '?wait=0', '?wait=25', '?status=reserved', '?wait=25&status=created'])
    attempts.refused(
      `another user's order${query}, answered otherwise than one that there is not`,
      await answerOf(eve, reservationId, query),
      nowhere,
    );
  for (const id of [1, 2, 3, 4, 5].map((n) => `${saleId}-${n}`))
    attempts.refused(`${id} by counting`, await answerOf(eve, id), nowhere);
  const odd = [
    `${saleId}-0${ordinal}`,
    `${saleId}-+${ordinal}`,
    `${saleId}-${ordinal}.0`,
    `${saleId}-${ordinal}%20`,
    `${saleId}-${ordinal}%00`,
    `${saleId}-0x${ordinal}`,
    `${saleId.toUpperCase()}-${ordinal}`,
    `${saleId}--${ordinal}`,
    `${saleId}-${ordinal}e0`,
    `${saleId}-1e0`,
  ];
  for (const id of odd)
    for (const player of [ann, eve])
      attempts.refused(
        `the order ${id} of ${player.userId}`,
        await answerOf(player, id),
        /^4\d\d (?!.*"status":"created")/,
      );
  for (const query of [
    '?userId=other-ann',
    '?wait=1&wait=2',
    '?wait=26',
    '?wait=-1',
    '?wait=1e9',
    '?status=any',
    '?__proto__=1',
    '?user=other-ann',
  ])
    attempts.refused(`another user's order${query}`, await answerOf(eve, reservationId, query), /^400 /);
  for (const header of ['x-user-id', 'x-forwarded-user', 'x-rain-user', 'x-sub', 'from']) {
    const { status } = await eve.request(`/v1/orders/${reservationId}`, { headers: { [header]: 'other-ann' } });
    attempts.refused(`another user's order with the header ${header}`, status, 404);
  }
  const mark = eve.heard.length;
  await eve.ask({ type: 'visit', saleId }, 'sale');
  await eve.settle();
  attempts.refused(
    'a visit shows orders of another user',
    eve.heard.slice(mark).filter(({ type }) => type === 'order').length,
    0,
  );
  const again = await eve.ask({ type: 'buy', saleId, sku: 'no-such-item', ref: 'of-ann' }, 'order');
  attempts.refused("another user's ref, for that user's reservation", again['reservationId'] === undefined, true);
}

async function cancelling(
  attempts: Attempts,
  { ann, eve, saleId, reservationId }: { ann: Entered; eve: Entered; saleId: string; reservationId: string },
): Promise<void> {
  const cancel = async (line: Line, id: string) =>
    bare(await line.ask({ type: 'cancel', saleId, reservationId: id }, 'order', 'error'));
  const nowhere = await cancel(eve, `${saleId}-999999`);
  for (let i = 0; i < 3; i++)
    attempts.refused(
      "another user's order cancelled, answered otherwise than one that there is not",
      await cancel(eve, reservationId),
      nowhere,
    );
  attempts.refused(
    'the same in the name of another sale',
    inShort(await eve.ask({ type: 'cancel', saleId: 'attack-sale', reservationId }, 'order', 'error')),
    ['error bad_field', 'order -8'],
  );
  attempts.refused(
    'with a user in the message',
    inShort(await eve.ask({ type: 'cancel', saleId, reservationId, userId: 'other-ann' }, 'order', 'error')),
    'error bad_field',
  );
  attempts.refused('over HTTP', (await eve.request(`/v1/orders/${reservationId}`, { method: 'DELETE' })).status, 405);
  // The wish of the buyer is carried out after all others, which were made before.
  const own = await ann.ask({ type: 'buy', saleId, sku: 'tee', ref: 'to-cancel' }, 'order');
  ann.say({ type: 'cancel', saleId, reservationId: own['reservationId'] });
  const cancelled = await eventually(
    () =>
      ann.heard.find(({ reservationId: id, status }) => id === own['reservationId'] && status === 'cancelled') ?? false,
  );
  attempts.control("an order of one's own is cancelled", String(cancelled['status']), 'cancelled');
  attempts.refused(
    "another user's order after all of this",
    (await ann.request(`/v1/orders/${reservationId}`)).json?.['status'] as string,
    'created',
  );
}

/** `/api/me` of the console. */
async function wallets(
  scene: Scene,
  attempts: Attempts,
  { ann, eve, won }: { ann: Entered; eve: Entered; won: Heard },
): Promise<void> {
  const me = (player: Player, query = '', headers: Record<string, string> = {}) =>
    ask(scene.console.port, `/api/me${query}`, {
      from: player.from,
      headers: { authorization: `Bearer ${player.token}`, ...headers },
    });
  const own = await eventually(
    async () => {
      const { json } = await me(ann);
      return (json?.['packets'] as { status: string }[] | undefined)?.some(({ status }) => status === 'credited')
        ? json!
        : false;
    },
    { everyMs: 500 },
  );
  attempts.control("the wallet of one's own", own['wallet'] as string, won['amount'] as string);
  const cursor = Buffer.from(`${Date.now() + 60_000} ${String(won['redPacketId'])}z`).toString('base64url');
  for (const query of ['', `?cursor=${cursor}`, '?limit=100']) {
    const { status, json } = await me(eve, query);
    attempts.refused(
      `the wallet with another user's token${query}`,
      `${status} ${String(json?.['userId'])} ${String(json?.['wallet'])} ${(json?.['packets'] as unknown[] | undefined)?.length}`,
      '200 other-eve 0.00 0',
    );
  }
  for (const query of [
    '?userId=other-ann',
    '?user=other-ann',
    '?sub=other-ann',
    '?cursor=other-ann',
    "?cursor=' OR 1=1",
    '?limit=0',
    '?limit=-1',
    '?limit=1000',
    '?limit=1&limit=2',
  ].map((text) => text.replaceAll(' ', '%20')))
    attempts.refused(`the wallet${query}`, (await me(eve, query)).status, 400);
  for (const header of ['x-user-id', 'cookie', 'x-forwarded-user'])
    attempts.refused(
      `the wallet with the header ${header}`,
      String((await me(eve, '', { [header]: 'userId=other-ann' })).json?.['userId']),
      'other-eve',
    );
  for (const path of ['/api/me/other-ann', '/api/users/other-ann', '/api/me%2fother-ann', '/api/orders'])
    attempts.refused(
      path,
      (await ask(scene.console.port, path, { from: eve.from, headers: { authorization: `Bearer ${eve.token}` } }))
        .status,
      404,
    );
}

/** @returns the packet that the asker has won, and that may be credited meanwhile */
async function receipts(
  attempts: Attempts,
  { ann, eve, rainId, won }: { ann: Entered; eve: Entered; rainId: string; won: Heard },
): Promise<unknown> {
  const { redPacketId, amount, receipt } = won;
  const show = async (line: Line) =>
    String(
      (await line.ask({ type: 'receipt', rainId, redPacketId, amount, receipt }, 'receipt_status', 'error'))['status'],
    );
  attempts.refused("another user's receipt", await show(eve), 'not_genuine');
  attempts.control("a receipt of one's own", await show(ann), 'known');
  const grabbed = await eve.ask({ type: 'grab', rainId, ref: String(redPacketId) }, 'result');
  attempts.refused("a grab gives another user's packet", grabbed['redPacketId'] === redPacketId, false);
  return grabbed['redPacketId'];
}
