import { readSale } from '../../../src/store/sales.ts';
import { tokenFor } from '../../support/client.ts';
import { ask as askServer } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import { enter, inShort, type Line, type Player } from '../player.ts';
import type { Scene } from '../scene.ts';

const MEGABYTE = 1_048_576;
/** The separators between the parts of our keys and of the values in them, and the ends of lines. */
const SEPARATED = [
  ':',
  '{',
  '}',
  '{x}',
  'a:b',
  'a;b',
  'a,b',
  'a/b',
  '..',
  '../x',
  'a b',
  'a\nb',
  'a\r\nDEL x',
  'a\0b',
  '*',
  '?',
  '[a]',
  '$1',
  '%00',
  'é',
  '\u202e',
  '\ud800',
  '',
] as const;
const QUANTITIES = [
  '0',
  '-1',
  '-0',
  '1.5',
  '"2"',
  '1001',
  '9007199254740993',
  '1e400',
  '-1e400',
  '1e3999',
  '[1]',
  '{"valueOf":1}',
  'true',
  'null',
  '""',
] as const;
/** These are not JSON at all. */
const NO_JSON = ['NaN', 'Infinity', '0x1', '01', '+1', '1_000', '１'] as const;
const ERRORS = ['error bad_field', 'error not_json', 'error unknown_type'] as const;

/** A socket of its own each time, since one is closed after twenty errors. */
type Open = () => Promise<Player & Line>;

export const messages: Family = {
  name: 'messages',
  async attack(scene, attempts) {
    const [rainId, saleId] = [await scene.rain(), await scene.sale()];
    let users = 0;
    const open: Open = () => enter(scene, `message-${users++}`);
    await shapes(attempts, open, { rainId, saleId });
    await texts(attempts, open, { rainId, saleId });
    await quantities(attempts, open, saleId);
    await doubled(attempts, open, saleId);
    await overHttp(scene, attempts, saleId);
    await userIds(scene, attempts);
    const honest = await open();
    attempts.control(
      'an honest purchase',
      inShort(await honest.ask({ type: 'buy', saleId, sku: 'tee', quantity: 2, ref: 'honest' }, 'order', 'error')),
      'order 0',
    );
    attempts.control(
      'an honest grab, with a ref of strange letters',
      (await honest.ask({ type: 'grab', rainId, ref: '{"a":1}\n\u0000é' }, 'result'))['ref'] as string,
      /^\{"a":1\}\n\0é$/,
    );
    await honest.leave();
    // Two by the honest user over the socket, one by the honest one over HTTP, and one by each doubled message.
    attempts.refused(
      'units that the sale counts as reserved by all of this',
      (await readSale(scene.context.redis, saleId))?.items[0]?.booked,
      2 + 1 + DOUBLED.length,
    );
  },
};

/** Sends each over the sockets of as many users as it takes. */
async function refuseAll(
  attempts: Attempts,
  open: Open,
  tries: readonly (readonly [what: string, message: string | Buffer, ...expected: string[]])[],
): Promise<void> {
  for (let at = 0; at < tries.length; at += 15) {
    const line = await open();
    for (const [what, message, ...expected] of tries.slice(at, at + 15))
      attempts.refused(
        what,
        inShort(await line.ask(message, 'error', 'result', 'order', 'pong', 'ticket')),
        expected.length > 0 ? expected : ERRORS,
      );
    attempts.control('a ping over the same socket', inShort(await line.ask({ type: 'ping', t: 1 }, 'pong')), 'pong');
    await line.leave();
  }
}

async function shapes(
  attempts: Attempts,
  open: Open,
  { rainId, saleId }: { rainId: string; saleId: string },
): Promise<void> {
  const grab = `"type":"grab","rainId":"${rainId}"`;
  const buy = `"type":"buy","saleId":"${saleId}","sku":"tee","ref":"r"`;
  await refuseAll(attempts, open, [
    ['a field __proto__', `{${grab},"__proto__":{"userId":"eve"}}`],
    ['a field constructor', `{${grab},"constructor":{"prototype":{"userId":"eve"}}}`],
    ['the type in __proto__', `{"__proto__":{"type":"ping"},"t":1}`],
    ['another user', `{${grab},"userId":"eve"}`],
    ['another price', `{${buy},"price":"0.01"}`],
    ['an amount', `{${grab},"amount":"100.00"}`],
    ['a packet of a purchase', `{${buy},"packet":1}`],
    ...[
      'toString',
      '__proto__',
      'constructor',
      'hasOwnProperty',
      'GRAB',
      'grab ',
      'gr\\u0061b\\u0000',
      'welcome',
      'credited',
      'order',
      '',
    ].map((type): [string, string] => [`the type ${type}`, `{"type":"${type}","rainId":"${rainId}","t":1}`]),
    ...['1', 'null', 'true', '["grab"]', '{}'].map((type): [string, string] => [
      `the type ${type}, which is no text`,
      `{"type":${type},"rainId":"${rainId}"}`,
    ]),
    ['no object', 'null'],
    ['a list', `[{${grab}}]`],
    ['a text', '"grab"'],
    ['a number', '1'],
    ['nothing', ''],
    ['blanks', '   '],
    ['two objects', `{${grab}}{${grab}}`],
    ['a comma at the end', `{${grab},}`],
    ['a comment', `{${grab}/**/}`],
    ['a byte order mark', `\ufeff{${grab}}`],
    ['lists in lists', '['.repeat(2_000) + ']'.repeat(2_000)],
    ['objects in objects', `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`],
    ['a deep field', `{"type":"ping","t":${'['.repeat(1_500)}${']'.repeat(1_500)}}`],
    [
      'a deep challenge',
      `{"type":"solution","rainId":"${rainId}","challenge":${'{"parameters":'.repeat(200)}1${'}'.repeat(200)},"solution":{}}`,
    ],
    ['a ping of 1e400', '{"type":"ping","t":1e400}'],
    ['a ping of a text', '{"type":"ping","t":"1"}'],
    ['a ping of nothing', '{"type":"ping","t":null}'],
    [
      'a receipt of -1.00',
      `{"type":"receipt","rainId":"${rainId}","redPacketId":"x","amount":"-1.00","receipt":"${'A'.repeat(22)}"}`,
    ],
    [
      'a receipt of 1e9',
      `{"type":"receipt","rainId":"${rainId}","redPacketId":"x","amount":"1e9","receipt":"${'A'.repeat(22)}"}`,
    ],
    [
      'a receipt of a number',
      `{"type":"receipt","rainId":"${rainId}","redPacketId":"x","amount":1,"receipt":"${'A'.repeat(22)}"}`,
    ],
  ]);
  const long = await open();
  long.say(JSON.stringify({ type: 'grab', rainId, ref: 'x'.repeat(MEGABYTE) }));
  attempts.refused('a ref of a megabyte', await long.closed, 1009);
}

/** Ids, items and refs with what has a meaning in keys and values. */
async function texts(
  attempts: Attempts,
  open: Open,
  { rainId, saleId }: { rainId: string; saleId: string },
): Promise<void> {
  const inJson = (text: string) => JSON.stringify(text);
  const fields = (text: string): [string, string][] => [
    ['the id of a rain', `{"type":"grab","rainId":${inJson(rainId + text)}}`],
    ['the id of a sale', `{"type":"buy","saleId":${inJson(saleId + text)},"sku":"tee"}`],
    ['an item', `{"type":"buy","saleId":"${saleId}","sku":${inJson(`tee${text}`)},"ref":"r"}`],
    ['the ref of a purchase', `{"type":"buy","saleId":"${saleId}","sku":"tee","ref":${inJson(`r${text}`)}}`],
    ['a reservation', `{"type":"cancel","saleId":"${saleId}","reservationId":${inJson(`${saleId}-1${text}`)}}`],
    ['the id of a rain to join', `{"type":"join","rainId":${inJson(rainId + text)}}`],
  ];
  // A dot is allowed in a ref, and an unknown reservation is refused as such.
  const tries = SEPARATED.filter((text) => text !== '' && text !== '..').flatMap((text) =>
    fields(text).map(([what, message]): [string, string, ...string[]] => [
      `${what} with ${inJson(text)}`,
      message,
      'error bad_field',
    ]),
  );
  await refuseAll(attempts, open, [
    ...tries,
    ['an empty ref of a purchase', `{"type":"buy","saleId":"${saleId}","sku":"tee","ref":""}`],
    ['an empty item', `{"type":"buy","saleId":"${saleId}","sku":"","ref":"r"}`],
    ['round 0', '{"type":"join","rainId":"a.0"}'],
    ['round 1000', '{"type":"join","rainId":"a.1000"}'],
    ['an id of 65 letters', `{"type":"join","rainId":"${'a'.repeat(65)}"}`],
    ['a ref of 65 letters', `{"type":"grab","rainId":"${rainId}","ref":"${'a'.repeat(65)}"}`],
  ]);
}

async function quantities(attempts: Attempts, open: Open, saleId: string): Promise<void> {
  const buy = (quantity: string) => `{"type":"buy","saleId":"${saleId}","sku":"tee","quantity":${quantity},"ref":"q"}`;
  await refuseAll(attempts, open, [
    ...QUANTITIES.map((quantity): [string, string, string] => [
      `a quantity of ${quantity}`,
      buy(quantity),
      'error bad_field',
    ]),
    ...NO_JSON.map((quantity): [string, string, string] => [
      `a quantity of ${quantity}`,
      buy(quantity),
      'error not_json',
    ]),
    ['more than a buyer may have', buy('11'), 'order -13'],
    ['a thousand', buy('1000'), 'order -13'],
  ]);
}

/** The last of two equal fields counts, and one purchase is decided. */
const DOUBLED: readonly ((saleId: string) => string)[] = [
  (saleId) => `{"type":"ping","type":"buy","saleId":"${saleId}","sku":"tee","ref":"d"}`,
  (saleId) => `{"type":"buy","saleId":"${saleId}","sku":"tee","ref":"d","quantity":10,"quantity":1}`,
  (saleId) => `{"type":"buy","saleId":"other","saleId":"${saleId}","sku":"no","sku":"tee","ref":"d"}`,
];

async function doubled(attempts: Attempts, open: Open, saleId: string): Promise<void> {
  for (const message of DOUBLED) {
    const line = await open();
    const answer = await line.ask(message(saleId), 'order', 'error', 'pong');
    attempts.refused(`${message(saleId)} reserves more than one unit`, Number(answer['quantity'] ?? 0) > 1, false);
    await line.settle();
    attempts.refused(
      `${message(saleId)} has more than one answer`,
      line.heard.filter(({ type, code }) => type === 'pong' || (type === 'order' && code === '0')).length > 2,
      false,
    );
    await line.leave();
  }
}

async function overHttp(scene: Scene, attempts: Attempts, saleId: string): Promise<void> {
  const [token, from] = [await tokenFor('message-http'), scene.address()];
  const buy = async (body: string, key = 'k') => {
    const { status, json } = await askServer(scene.gateway.port, `/v1/sales/${saleId}/buy`, {
      method: 'POST',
      from,
      body,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
    });
    return `${status} ${String(json?.['code'])}`;
  };
  for (const quantity of QUANTITIES)
    attempts.refused(
      `a quantity of ${quantity} over HTTP`,
      await buy(`{"sku":"tee","quantity":${quantity}}`),
      '400 bad_field',
    );
  for (const text of SEPARATED) {
    if (text === '' || text === '..' || /[^\x20-\x7e]/.test(text)) continue;
    attempts.refused(`an Idempotency-Key with ${text}`, await buy('{"sku":"tee"}', `k${text}`), '400 bad_field');
    attempts.refused(
      `an item with ${text} over HTTP`,
      await buy(JSON.stringify({ sku: `tee${text}` })),
      '400 bad_field',
    );
  }
  for (const body of ['', 'null', '[]', '[{"sku":"tee"}]', '{"sku":"tee"', '"tee"'])
    attempts.refused(`the body ${body}`, await buy(body), '400 not_json');
  for (const body of [
    '{"__proto__":{"sku":"tee"}}',
    '{"sku":"tee","userId":"eve"}',
    '{"sku":"tee","saleId":"other"}',
    '{"sku":["tee"]}',
    '{}',
  ])
    attempts.refused(`the body ${body}`, await buy(body), '400 bad_field');
  attempts.refused(
    'a body of five kilobytes',
    await buy(JSON.stringify({ sku: 'tee', ticket: 'x'.repeat(5_000) })),
    /^413/,
  );
  attempts.control('an honest purchase over HTTP', await buy('{"sku":"tee"}'), '200 0');
}

/** Ids of users may have any printable letters: they must stay apart in keys and values. */
async function userIds(scene: Scene, attempts: Attempts): Promise<void> {
  const [rainId, saleId] = [
    await scene.rain(),
    await scene.sale({ perUserMax: 1, items: [{ sku: 'tee', units: 100, price: '19.90', perUserMax: 1 }] }),
  ];
  const ids = [
    'u:1',
    'u',
    'u;1:tee:1',
    '{u}',
    'u:1:',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'u/0',
    'u"',
    "u'--",
    '%75',
    'U',
    'ü',
    'u\u0308',
  ];
  const lines = await Promise.all(ids.map((userId) => enter(scene, userId)));
  const packets = await Promise.all(lines.map((line) => line.ask({ type: 'grab', rainId }, 'result')));
  attempts.control(
    'users with strange ids win a packet each',
    new Set(packets.map(({ redPacketId }) => redPacketId)).size,
    ids.length,
  );
  const orders = await Promise.all(lines.map((line) => line.ask({ type: 'buy', saleId, sku: 'tee' }, 'order')));
  attempts.control(
    'and reserve a unit each',
    new Set(orders.map(({ reservationId }) => reservationId)).size,
    ids.length,
  );
  const again = await Promise.all(lines.map((line) => line.ask({ type: 'buy', saleId, sku: 'tee' }, 'order')));
  attempts.refused(
    'asked again they are told another reservation',
    again.some((order, i) => order['reservationId'] !== orders[i]!['reservationId']),
    false,
  );
  attempts.refused(
    'units that are reserved for them',
    (await readSale(scene.context.redis, saleId))?.items[0]?.booked,
    ids.length,
  );
  for (const line of lines) await line.leave();
}
