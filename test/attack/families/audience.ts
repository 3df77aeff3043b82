import { saleKeys } from '../../../src/store/saleKeys.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import type { Named } from '../../../src/platform/auth/token.ts';
import { tokenFor, type Client } from '../../support/client.ts';
import { ask } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import type { Scene } from '../scene.ts';

/** An id as long as those of the scene, of nothing. */
const UNKNOWN = 'attack-none-0';
const FORGED = {
  challenge: {
    parameters: {
      algorithm: 'PBKDF2/SHA-256',
      cost: 1,
      keyLength: 32,
      keyPrefix: 'aa',
      keySignature: 'aa',
      nonce: 'aa',
      salt: 'aa',
      data: { until: 9_999_999_999_999 },
    },
    signature: 'aa',
  },
  solution: { counter: 1, derivedKey: 'aa' },
};

interface Ids {
  rain: string;
  sale: string;
}

/** A socket's answers about these, with their ids taken out: they must be the same as about unknown ids. */
async function answersOf(client: Client, { rain, sale }: Ids): Promise<string> {
  const heard: unknown[] = [];
  const say = async (type: 'result' | 'order' | 'receipt_status', message: unknown) => {
    client.say(message);
    heard.push(await client.next(type));
  };
  await say('result', { type: 'join', rainId: rain });
  await say('result', { type: 'grab', rainId: rain, ref: '1' });
  await say('receipt_status', {
    type: 'receipt',
    rainId: rain,
    redPacketId: `${rain}-1`,
    amount: '1.00',
    receipt: 'A'.repeat(22),
  });
  await say('result', { type: 'solution', rainId: rain, ...FORGED });
  await say('order', { type: 'visit', saleId: sale });
  await say('order', { type: 'buy', saleId: sale, sku: 'tee', ref: 'r1' });
  await say('order', { type: 'cancel', saleId: sale, reservationId: `${sale}-1` });
  await say('order', { type: 'solution', rainId: sale, saleId: sale, ...FORGED });
  return JSON.stringify(heard).replaceAll(rain, '…').replaceAll(sale, '…');
}

async function httpAnswersOf({ gateway }: Scene, token: string, from: string, sale: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const answers = [
    await ask(gateway.port, `/v1/sales/${sale}`, { headers, from }),
    await ask(gateway.port, `/v1/sales/${sale}/buy`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': 'r1' },
      body: { sku: 'tee' },
      from,
    }),
    await ask(gateway.port, `/v1/sales/${sale}/ticket`, { method: 'POST', headers, body: FORGED, from }),
    await ask(gateway.port, `/v1/orders/${sale}-1`, { headers, from }),
  ];
  return JSON.stringify(answers.map(({ status, text }) => [status, text])).replaceAll(sale, '…');
}

/** Users who must not get in, by the names in their tokens. */
function strangers({ rain, sale }: Ids, other: Ids): [string, Named][] {
  return [
    ['a token that names nothing', {}],
    ['a token for all', { rains: ['*'], sales: ['*'] }],
    ['a token for another rain and sale', { rains: [other.rain], sales: [other.sale] }],
    ['a token that names them the other way round', { rains: [sale], sales: [rain] }],
    ['a token of empty lists', { rains: [], sales: [] }],
    [
      'a token with patterns',
      {
        rains: ['**', `${rain}*`, '.*', '%', rain.toUpperCase(), ` ${rain}`, `${rain}\n`],
        sales: ['**', `${sale}*`, '.*', '%', sale.toUpperCase(), ` ${sale}`, `${sale}.1`],
      },
    ],
  ];
}

/** With the same messages and requests. */
async function looksLikeNothing(
  scene: Scene,
  attempts: Attempts,
  what: string,
  named: Named,
  hidden: Ids,
): Promise<void> {
  const [from, token] = [scene.address(), await tokenFor(`stranger-${what.length}`, 600, named)];
  const client = await scene.socket(token, from);
  const welcome = JSON.stringify(await client.next('welcome'));
  attempts.refused(
    `${what}: is welcomed with what is by invitation`,
    [hidden.rain, hidden.sale].filter((id) => welcome.includes(id)),
    '[]',
  );
  attempts.refused(
    `${what}: hears more of it than of nothing`,
    await answersOf(client, hidden),
    await answersOf(client, { rain: UNKNOWN, sale: UNKNOWN }),
  );
  attempts.refused(
    `${what}: reads more of it over HTTP than of nothing`,
    await httpAnswersOf(scene, token, from, hidden.sale),
    await httpAnswersOf(scene, token, from, UNKNOWN),
  );
  await client.leave();
}

/** Unlisted ones are told to nobody, neither in `welcome` nor when something changes. */
async function unlisted(scene: Scene, attempts: Attempts): Promise<void> {
  const from = scene.address();
  const listener = await scene.socket(await tokenFor('listener'), from);
  const heard: string[] = [];
  listener.socket.on('message', (data) => heard.push(String(data)));
  const [rain, sale] = [await scene.rain({ terms: { unlisted: true } }), await scene.sale({ unlisted: true })];
  const friend = await scene.socket(await tokenFor('friend'), from);
  friend.say({ type: 'join', rainId: rain });
  friend.say({ type: 'visit', saleId: sale });
  const found = [(await friend.next('rain')).rainId, (await friend.next('sale')).saleId];
  attempts.control('who knows the ids joins and visits what is unlisted', found, JSON.stringify([rain, sale]));
  friend.say({ type: 'grab', rainId: rain, ref: '1' });
  attempts.control('… and wins', (await friend.next('result')).code, '0');
  const late = await scene.socket(await tokenFor('late'), from);
  heard.push(JSON.stringify(await late.next('welcome')));
  // A listed rain of later is told by now, so an earlier message would have come.
  const listed = await scene.rain();
  friend.say({ type: 'join', rainId: listed });
  while ((await listener.next('rain')).rainId !== listed);
  attempts.refused(
    'a socket hears of what is unlisted',
    heard.filter((text) => text.includes(rain) || text.includes(sale)).length,
    0,
  );
  attempts.control(
    'it has heard of what is listed',
    heard.some((text) => text.includes(listed)),
    true,
  );
  await Promise.all([listener, friend, late].map((client) => client.leave()));
}

export const audience: Family = {
  name: 'audience and visibility',
  async attack(scene, attempts) {
    const other = { rain: await scene.rain(), sale: await scene.sale() };
    const hidden = {
      rain: await scene.rain({ terms: { invitedOnly: true } }),
      sale: await scene.sale({ invitedOnly: true }),
    };
    for (const [what, named] of strangers(hidden, other)) await looksLikeNothing(scene, attempts, what, named, hidden);
    await unlisted(scene, attempts);

    const from = scene.address();
    const narrow = await scene.socket(await tokenFor('narrow', 600, { rains: [other.rain], sales: [] }), from);
    narrow.say({ type: 'grab', rainId: await scene.rain(), ref: 'a' });
    attempts.refused('a token for one rain grabs in another', (await narrow.next('result')).code, '-8');
    narrow.say({ type: 'visit', saleId: other.sale });
    attempts.refused('… visits a sale', (await narrow.next('order')).code, '-8');
    narrow.say({ type: 'grab', rainId: other.rain, ref: 'b' });
    attempts.control('… and grabs in its own', (await narrow.next('result')).code, '0');

    const luckiest = await ask(scene.console.port, `/api/rains/${hidden.rain}/luckiest`, { from });
    const ofNothing = await ask(scene.console.port, `/api/rains/${UNKNOWN}/luckiest`, { from });
    attempts.refused(
      'anybody asks who was luckiest in a rain by invitation',
      `${luckiest.status} ${luckiest.text}`,
      `${ofNothing.status} ${ofNothing.text}`,
    );
    await scene.context.ledger.setGreeting(hidden.rain, { sender: 'A host whom nobody knows' }, 'attack');
    const look = async (rain: string) => {
      const { status, text } = await ask(scene.console.port, `/api/theme?rain=${rain}`, { from });
      return `${status} ${text}`;
    };
    attempts.refused(
      'anybody asks what is said with a rain by invitation',
      await look(hidden.rain),
      await look(UNKNOWN),
    );
    const { redis } = scene.context;
    attempts.refused('strangers have taken packets of it', await redis.hlen(shardKeys(hidden.rain, 0).claimed), 0);
    attempts.refused('strangers have reserved units of it', await redis.llen(saleKeys(hidden.sale).reservations), 0);

    const token = await tokenFor('invited', 600, { rains: [hidden.rain], sales: [hidden.sale] });
    const guest = await scene.socket(token, from);
    const welcome = JSON.stringify(await guest.next('welcome'));
    attempts.control(
      'the invited one is told of both',
      [hidden.rain, hidden.sale].every((id) => welcome.includes(id)),
      true,
    );
    guest.say({ type: 'grab', rainId: hidden.rain, ref: '1' });
    attempts.control('… wins', (await guest.next('result')).code, '0');
    guest.say({ type: 'buy', saleId: hidden.sale, sku: 'tee', ref: 'r1' });
    attempts.control('… buys', (await guest.next('order')).code, '0');
    await Promise.all([narrow, guest].map((client) => client.leave()));
  },
};
