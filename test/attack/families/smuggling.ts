import { tokenFor } from '../../support/client.ts';
import type { Family } from '../family.ts';
import { exchange, statuses, upgradeHead } from '../raw.ts';
import type { Scene } from '../scene.ts';

/** A request that would be answered, too, if a server read it as one of its own. */
const SECOND = 'GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
const BODY = '{"name":"nobody","password":"a guess"}';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

const post = (lines: string, body: string, path = '/api/console/session') =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${lines}\r\n${body}`;
const get = (lines: string, target = '/healthz', version = 'HTTP/1.1') =>
  `GET ${target} ${version}\r\nHost: 127.0.0.1\r\n${lines}\r\n`;

/** Each is one answer at most, a refusal, and no second one. */
const AMBIGUOUS: readonly [string, string][] = [
  ['two lengths', post('Content-Length: 2\r\nContent-Length: 44\r\n', `{}${SECOND}`)],
  ['two lengths that are alike', post('Content-Length: 2\r\nContent-Length: 2\r\n', `{}${SECOND}`)],
  ['a list of lengths', post('Content-Length: 2, 44\r\n', `{}${SECOND}`)],
  ['a length with a sign', post('Content-Length: +2\r\n', `{}${SECOND}`)],
  ['a negative length', post('Content-Length: -2\r\n', `{}${SECOND}`)],
  ['a length in hex', post('Content-Length: 0x2\r\n', `{}${SECOND}`)],
  ['a length beyond 64 bits', post('Content-Length: 18446744073709551618\r\n', `{}${SECOND}`)],
  ['an empty length', post('Content-Length:\r\n', `{}${SECOND}`)],
  ['a space in a length', post('Content-Length: 2 0\r\n', `{}${SECOND}`)],
  ['a length and chunks', post(`Content-Length: 6\r\n${CHUNKED}`, `0\r\n\r\n${SECOND}`)],
  ['chunks and a length', post(`${CHUNKED}Content-Length: 6\r\n`, `0\r\n\r\n${SECOND}`)],
  ['a space before the colon of a length', post('Content-Length : 2\r\n', `{}${SECOND}`)],
  ['a space before the colon of chunks', post('Transfer-Encoding : chunked\r\nContent-Length: 2\r\n', `{}${SECOND}`)],
  ['an unknown coding', post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${SECOND}`)],
  ['chunks, and then something else', post('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${SECOND}`)],
  ['chunks twice', post(`${CHUNKED}Transfer-Encoding: identity\r\n`, `0\r\n\r\n${SECOND}`)],
  ['a tab in the coding', post('Transfer-Encoding:\x0bchunked\r\n', `0\r\n\r\n${SECOND}`)],
  ['a coding in quotes', post('Transfer-Encoding: "chunked"\r\n', `0\r\n\r\n${SECOND}`)],
  ['a folded coding', post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${SECOND}`)],
  ['a folded header', get('X-A: a\r\n\tContent-Length: 44\r\n') + SECOND],
  ['bare line feeds', get('X-A: a\r\n').replaceAll('\r', '') + SECOND],
  ['one bare line feed before a length', get('X-A: a\nContent-Length: 44\r\n') + SECOND],
  ['a bare carriage return', get('X-A: a\rContent-Length: 44\r\n') + SECOND],
  ['a NUL in a header', get('X-A: a\0b\r\n') + SECOND],
  ['a NUL in the target', get('', '/healthz\0') + SECOND],
  ['a NUL in a name', get('X\0A: a\r\n') + SECOND],
  ['a space in a name', get('X A: a\r\n') + SECOND],
  ['an empty name', get(': a\r\n') + SECOND],
  ['a header without a colon', get('X-A\r\n') + SECOND],
  ['two hosts', get('Host: evil.example\r\n') + SECOND],
  ['two hosts that are alike', get('Host: 127.0.0.1\r\n') + SECOND],
  ['two hosts in other letters', get('hOST: evil.example\r\n') + SECOND],
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'.concat(SECOND)],
  ['an absolute target of another host', get('', 'http://evil.example/healthz')],
  ['a target without a slash', get('', 'healthz')],
  ['a target of another scheme', get('', 'file:///etc/passwd')],
  ['a target with user and password', get('', 'http://a:b@127.0.0.1/healthz')],
  ['a space in the target', get('', '/healthz /readyz') + SECOND],
  ['a tab after the method', get('').replace('GET ', 'GET\t') + SECOND],
  ['an unknown method', get('').replace('GET', 'STEAL') + SECOND],
  ['a method in small letters', get('').replace('GET', 'get') + SECOND],
  ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n'],
  ['HTTP/0.9', 'GET /healthz\r\n'],
  ['HTTP/3.0', get('', '/healthz', 'HTTP/3.0') + SECOND],
  ['HTTP/1.10', get('', '/healthz', 'HTTP/1.10') + SECOND],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.padEnd(200, '\0')],
  ['a head of 20 KB', get(`X-A: ${'a'.repeat(20_000)}\r\n`) + SECOND],
  ['a target of 20 KB', get('', `/${'a'.repeat(20_000)}`) + SECOND],
  ['3,000 headers', get('a: b\r\n'.repeat(3_000)) + SECOND],
];

const chunks = (body: string) => post(CHUNKED, body);
/** Sizes of chunks that two servers could read differently. */
const CHUNKS: readonly [string, string][] = [
  ['a chunk in decimal with a sign', chunks(`+2\r\n{}\r\n0\r\n\r\n${SECOND}`)],
  ['a chunk with 0x', chunks(`0x2\r\n{}\r\n0\r\n\r\n${SECOND}`)],
  ['a negative chunk', chunks(`-2\r\n{}\r\n0\r\n\r\n${SECOND}`)],
  ['a chunk beyond 64 bits', chunks(`10000000000000002\r\n{}\r\n0\r\n\r\n${SECOND}`)],
  ['a chunk that ends in a bare line feed', chunks(`2\n{}\n0\n\n${SECOND}`)],
  ['an extension with a bare line feed', chunks(`2;a\n{}\r\n0\r\n\r\n${SECOND}`)],
  ['a chunk that is longer than it says', chunks(`2\r\n{} \r\n0\r\n\r\n${SECOND}`)],
  ['an empty size', chunks(`\r\n{}\r\n0\r\n\r\n${SECOND}`)],
  ['an extension of 20 KB', chunks(`2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n${SECOND}`)],
];

/** The request behind it must remain a part of the first one. */
async function oneAnswer({ gateway, console: consoleServer }: Scene, from: string): Promise<[string, string][]> {
  const token = await tokenFor('smuggler');
  const inBody = `Content-Length: ${SECOND.length}\r\n`;
  const upgraded = (lines: string[]) => upgradeHead(token, lines) + SECOND;
  const send = async (port: number, bytes: string) => statuses(await exchange(port, bytes, { from }));
  return [
    ['console: a request in the body of a GET', await send(consoleServer.port, get(inBody) + SECOND)],
    ['console: a request in the body of a POST', await send(consoleServer.port, post(inBody, SECOND, '/api/guest'))],
    [
      'console: a request behind an upgrade',
      await send(
        consoleServer.port,
        get('Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n' + inBody) + SECOND,
      ),
    ],
    ['gateway: a request in the body of a GET', await send(gateway.port, get(inBody) + SECOND)],
    [
      'gateway: a request in the body of a buyer',
      await send(gateway.port, get(`Authorization: Bearer ${token}\r\n${inBody}`, '/v1/sales/a') + SECOND),
    ],
    [
      'gateway: chunks of a buyer',
      await send(
        gateway.port,
        post(`Authorization: Bearer ${token}\r\n${CHUNKED}`, `0\r\n\r\n${SECOND}`, '/v1/sales/a/buy'),
      ),
    ],
    [
      'gateway: two tokens of a buyer',
      await send(
        gateway.port,
        get(`Authorization: Bearer ${token}\r\nAuthorization: Bearer ${await tokenFor('bob')}\r\n`, '/v1/sales/a'),
      ),
    ],
    ['gateway: a request behind an upgrade', await send(gateway.port, upgraded([]))],
    ['gateway: an upgrade with a length', await send(gateway.port, upgraded([inBody.trim()]))],
    ['gateway: an upgrade with chunks', await send(gateway.port, upgraded([CHUNKED.trim()]))],
    ['gateway: an upgrade with two hosts', await send(gateway.port, upgraded(['Host: evil.example']))],
    [
      'gateway: an upgrade to h2c',
      await send(
        gateway.port,
        get('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n') + SECOND,
      ),
    ],
  ];
}

/** At once, so that the waits for silence are one. */
const AT_ONCE = 8;

export const smuggling: Family = {
  name: 'smuggling',
  async attack(scene, attempts) {
    const from = scene.address();
    for (const [name, port] of [
      ['gateway', scene.gateway.port],
      ['console', scene.console.port],
    ] as const) {
      const waiting = [...AMBIGUOUS, ...CHUNKS];
      const work = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift())
          attempts.refused(
            `${name}: ${next[0]}`,
            statuses(await exchange(port, Buffer.from(next[1], 'latin1'), { from })),
            /^(4\d\d|505)?$/,
          );
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      attempts.control(
        `${name}: an honest request`,
        statuses(await exchange(port, get('Connection: close\r\n'), { from })),
        '200',
      );
    }
    for (const [what, got] of await oneAnswer(scene, from)) attempts.refused(what, got, /^\d{3}$/);
    attempts.refused(
      'console: a second request in the packet of the first',
      statuses(await exchange(scene.console.port, get('') + SECOND, { from })),
      '200',
    );
    attempts.control(
      'console: an honest body',
      statuses(
        await exchange(scene.console.port, post(`Content-Length: ${BODY.length}\r\n`, BODY, '/api/console/session'), {
          from,
          // A password is checked, on a machine that others use.
          quietMs: 2_000,
        }),
      ),
      '401',
    );
    attempts.control(
      'gateway: an honest upgrade',
      statuses(await exchange(scene.gateway.port, upgradeHead(await tokenFor('smuggler')), { from })),
      '101',
    );
  },
};
