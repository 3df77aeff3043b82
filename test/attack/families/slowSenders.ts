import { SOCKET_LIMITS, EXTRA_CONNECTIONS_PER_ADDRESS } from '../../../src/gateway/sockets/limits.ts';
import { tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { ask } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import { enter, inShort } from '../player.ts';
import { openRaw, upgradeHead, type Raw } from '../raw.ts';
import type { Running, Scene } from '../scene.ts';

/** From one address; a gateway of this family takes so many sockets of it. */
const SOCKETS_PER_ADDRESS = 40;
/** Connections of one address that a console takes. */
const CONSOLE_CONNECTIONS = 1_200;
const AT_ONCE = 260;
const DRIP_MS = 400;
/** Beyond the limit of the server: how often it looks, and a busy machine. */
const LATE_MS = 6_000;
/** Without a limit of connections of one address nobody else would be answered at all. */
const QUICK_MS_MAX = 8_000;
/** Limits of the console: of a head, of a whole request, and of a connection that nobody uses. */
const [CONSOLE_HEAD_MS, CONSOLE_REQUEST_MS, CONSOLE_IDLE_MS] = [5_000, 30_000, 10_000];

/** Kept open longest: the one by a body that does not come, the other by the rest of a head. */
const [HALF_BODY, HALF_HEAD] = [
  'POST /api/console/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{',
  'GET /healthz HTTP/1.1\r\n',
];

interface Slow {
  what: string;
  port: number;
  /** Sent at once. */
  bytes: string;
  /** Sent afterwards, one byte now and then. */
  drip?: string;
  /** When it has to be cut, ms. */
  withinMs: number;
}

export const slowSenders: Family = {
  name: 'slow senders',
  async attack(scene, attempts) {
    const tight = await scene.start(['gateway'], { GATEWAY_SOCKETS_PER_ADDRESS_MAX: String(SOCKETS_PER_ADDRESS) });
    const token = await tokenFor('slow');
    const cases: Slow[] = [...atConsole(scene.console), ...atGateway(scene.gateway, token)];
    const slow = cases.map(async (one) =>
      attempts.refused(
        `${one.what}: cut in ${(one.withinMs / 1_000).toFixed(0)} s`,
        await cutIn(one, scene.address()),
        true,
      ),
    );
    const crowds = await Promise.all([
      crowd(scene, attempts, { ...scene.console, where: 'the console', max: CONSOLE_CONNECTIONS, bytes: HALF_BODY }),
      crowd(scene, attempts, {
        ...tight,
        where: 'a gateway',
        max: SOCKETS_PER_ADDRESS + EXTRA_CONNECTIONS_PER_ADDRESS,
        bytes: HALF_HEAD,
      }),
    ]);
    await served(scene, attempts, 'while all of these are open');
    for (const raw of crowds.flat()) raw.end();
    await Promise.all(slow);
    await served(scene, attempts, 'afterwards');
  },
};

function atConsole({ port }: Running): Slow[] {
  const post =
    'POST /api/guest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n';
  return [
    { what: 'nothing sent to the console', port, bytes: '', withinMs: CONSOLE_HEAD_MS },
    {
      what: 'half a head sent to the console',
      port,
      bytes: 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ',
      withinMs: CONSOLE_HEAD_MS,
    },
    {
      what: 'a head that drips into the console',
      port,
      bytes: 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n',
      drip: 'X-A: a\r\n',
      withinMs: CONSOLE_HEAD_MS,
    },
    { what: 'half a body sent to the console', port, bytes: `${post}\r\n{"token":"`, withinMs: CONSOLE_REQUEST_MS },
    {
      what: 'a body that drips into the console',
      port,
      bytes: `${post}\r\n{"token":"`,
      drip: 'x',
      withinMs: CONSOLE_REQUEST_MS,
    },
    {
      what: 'a body in chunks that drip into the sign-in',
      port,
      bytes:
        'POST /api/console/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
      drip: '1\r\n \r\n',
      withinMs: CONSOLE_REQUEST_MS,
    },
    {
      what: 'an answered request, and nothing more, at the console',
      port,
      bytes: 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
      withinMs: CONSOLE_IDLE_MS,
    },
    {
      what: 'half a head after an answered request, at the console',
      port,
      bytes: 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET / HT',
      withinMs: CONSOLE_HEAD_MS,
    },
  ];
}

function atGateway({ port }: Running, token: string): Slow[] {
  const { handshakeMs, hangUpMs } = SOCKET_LIMITS;
  const head = upgradeHead(token);
  const post = `POST /v1/sales/x/buy HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{`;
  return [
    { what: 'nothing sent to the gateway', port, bytes: '', withinMs: handshakeMs },
    { what: 'half an upgrade', port, bytes: head.slice(0, head.length - 2), withinMs: handshakeMs },
    {
      what: 'an upgrade that drips',
      port,
      bytes: head.slice(0, head.length - 2),
      drip: 'X-A: a\r\n',
      withinMs: handshakeMs,
    },
    { what: 'half a purchase', port, bytes: post, withinMs: handshakeMs },
    { what: 'a purchase that drips', port, bytes: post, drip: ' ', withinMs: handshakeMs },
    {
      what: 'a refused upgrade whose sender does not hang up',
      port,
      bytes: upgradeHead('made.up.token'),
      withinMs: hangUpMs,
    },
    {
      what: 'a refused upgrade that goes on dripping',
      port,
      bytes: upgradeHead('made.up.token'),
      drip: 'x',
      withinMs: hangUpMs,
    },
    {
      what: 'an answered request, and nothing more, at the gateway',
      port,
      bytes: 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
      withinMs: handshakeMs,
    },
  ];
}

/** Whether the server ends the connection in time, however slowly bytes come. */
async function cutIn({ port, bytes, drip, withinMs }: Slow, from: string): Promise<boolean | string> {
  const raw = await openRaw(port, from);
  raw.write(bytes);
  let at = 0;
  const dripping = drip === undefined ? undefined : setInterval(() => raw.write(drip[at++ % drip.length]!), DRIP_MS);
  try {
    const closedAfterMs = await raw.closed(withinMs + LATE_MS);
    return closedAfterMs < withinMs + LATE_MS;
  } catch {
    return `open after ${withinMs + LATE_MS} ms`;
  } finally {
    clearInterval(dripping);
    raw.end();
  }
}

/** Hundreds of connections of one address: those beyond the limit are cut at once, and those of others are answered. */
async function crowd(
  scene: Scene,
  attempts: Attempts,
  { port, where, max, bytes }: { port: number; where: string; max: number; bytes: string },
): Promise<Raw[]> {
  const [from, other] = [scene.address(), scene.address()];
  const beyond = 100;
  const raws: Raw[] = [];
  // Some of those that are cut at once never get as far as to be open.
  const open = async () => {
    const raw = await openRaw(port, from).catch(() => undefined);
    raw?.write(bytes);
    if (raw) raws.push(raw);
  };
  for (let made = 0; made < max + beyond; made += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, max + beyond - made) }, open));
  }
  attempts.control(`another address is answered by ${where}, quickly`, await quickly(port, other), true);
  const cut = () => max + beyond - raws.filter((raw) => !raw.isClosed() || raw.bytes().length > 0).length;
  attempts.refused(
    `${beyond} connections of one address at ${where} beyond ${max} are cut without a word`,
    await eventually(() => cut() >= beyond, { timeoutMs: 3_000 }).catch(() => cut()),
    true,
  );
  attempts.control(`those before them at ${where} are not`, cut() < beyond + max / 2, true);
  return raws;
}

async function quickly(port: number, from: string): Promise<boolean> {
  const since = performance.now();
  const { status } = await ask(port, '/healthz', { from });
  return status === 200 && performance.now() - since < QUICK_MS_MAX;
}

async function served(scene: Scene, attempts: Attempts, when: string): Promise<void> {
  attempts.control(
    `the page is served ${when}`,
    (await ask(scene.console.port, '/', { from: scene.address() })).status,
    200,
  );
  const player = await enter(scene, 'slow-other');
  attempts.control(`a player is answered ${when}`, inShort(await player.ask({ type: 'ping', t: 1 }, 'pong')), 'pong');
  await player.leave();
}
