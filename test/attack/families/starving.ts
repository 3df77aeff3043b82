import { randomBytes } from 'node:crypto';
import { tokenFor } from '../../support/client.ts';
import { ask, type Answer } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import { PASSWORD, type Running, type Scene } from '../scene.ts';

/** Requests of one address to the operator's API that are looked at in a minute. */
const API_PER_MINUTE = 1_200;
/** Beyond so many rains that there are not, one address has few places for them, each taken for a while. */
const [UNKNOWN_RAINS_PER_MINUTE, LOOKED_UP_AT_ONCE, UNKNOWN_PAUSE_MS] = [60, 4, 8];
const INVENTED_RAINS = 300;
const WRONG_SIGN_INS = 40;
/** Handshakes that the gateway of this family takes of an address in a second. */
const HANDSHAKES = 20;
/**
 * A page that comes later has starved, unless a console that nobody attacks takes as long: then the machine is busy. It
 * takes milliseconds on an idle one.
 */
const SERVED_MS_MAX = 2_500;
const OF_IDLE_MAX = 4;
const AT_ONCE = 50;

export const starving: Family = {
  name: 'starving',
  async attack(scene, attempts) {
    // Servers of its own: what they refuse others meanwhile is what is looked at.
    const [consoleServer, gateway] = await Promise.all([
      scene.start(['console'], { TRUSTED_PROXIES: '0' }),
      scene.start(['gateway'], { GATEWAY_HANDSHAKES_PER_ADDRESS_PER_SECOND: String(HANDSHAKES) }),
    ]);
    await wrongSignIns(scene, attempts, consoleServer);
    await madeUpBearers(scene, attempts, consoleServer);
    await inventedRains(scene, attempts, consoleServer);
    await madeUpTokens(scene, attempts, consoleServer, gateway);
  },
};

const statusesOf = (answers: readonly Answer[]): string =>
  [...new Set(answers.map(({ status }) => status))].sort().join(' ');
const waits = ({ headers }: Answer): boolean => Number(headers['retry-after']) > 0;

/**
 * Asks for the page as long as the flood lasts, and for that of a console that nobody floods.
 * @returns the answers to the flood, and how long the pages took as a rule (the medians), ms
 */
async function during<T>(
  { port }: Running,
  idle: Running,
  from: string,
  flood: Promise<T>,
): Promise<{ answers: T; pageMs: number; idleMs: number }> {
  let isOver = false;
  const answers = flood.finally(() => {
    isOver = true;
  });
  const timed = async (at: number): Promise<number> => {
    const since = performance.now();
    const { status } = await ask(at, '/', { from });
    if (status !== 200) throw new Error(`the page is answered ${status}`);
    return performance.now() - since;
  };
  const times: [page: number, idle: number][] = [];
  do times.push([await timed(port), await timed(idle.port)]);
  while (!isOver);
  const median = (of: 0 | 1) => times.map((pair) => pair[of]).sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
  return { answers: await answers, pageMs: median(0), idleMs: median(1) };
}

function expectServed(attempts: Attempts, { pageMs, idleMs }: { pageMs: number; idleMs: number }): void {
  attempts.control(
    `the page comes meanwhile, after ${pageMs.toFixed(0)} ms as a rule, that of another console after ${idleMs.toFixed(0)} ms`,
    pageMs < Math.max(SERVED_MS_MAX, OF_IDLE_MAX * idleMs),
    true,
  );
}

async function inTurns(count: number, one: (i: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < count; at += AT_ONCE)
    answers.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, i) => one(at + i)))));
  return answers;
}

/** Each from an address of its own. A password costs a tenth of a second of a core, and memory. */
async function wrongSignIns(scene: Scene, attempts: Attempts, server: Running): Promise<void> {
  const signIn = (name: string, password: string) =>
    ask(server.port, '/api/console/session', { method: 'POST', body: { name, password }, from: scene.address() });
  const { name } = await scene.addStaff('starved', 'operator');
  const flood = Promise.all(
    Array.from({ length: WRONG_SIGN_INS }, (_, i) => signIn(`nobody-${i}`, 'a guess of twelve letters')),
  );
  const { answers, ...waited } = await during(server, scene.console, scene.address(), flood);
  attempts.refused(`${WRONG_SIGN_INS} wrong sign-ins at once, each of another address and name`, statusesOf(answers), [
    '401 429',
    '429',
    '401',
  ]);
  const refused = answers.filter(({ status }) => status === 429);
  attempts.refused('most of them are looked at', refused.length < WRONG_SIGN_INS / 2, false);
  attempts.refused('some of the refused ones are not told when to come back', refused.every(waits), true);
  expectServed(attempts, waited);
  attempts.control('somebody signs in afterwards', (await signIn(name, PASSWORD)).status, 200);
}

async function madeUpBearers(scene: Scene, attempts: Attempts, server: Running): Promise<void> {
  const [from, other] = [scene.address(), scene.address()];
  const asked = (path: string, authorization: string, address = from) =>
    ask(server.port, path, { from: address, headers: { authorization } });
  const madeUp = () => `Bearer rop_${randomBytes(32).toString('base64url')}`;
  const { answers, ...waited } = await during(
    server,
    scene.console,
    other,
    inTurns(API_PER_MINUTE + 100, () => asked('/api/console/rains', madeUp())),
  );
  attempts.refused(
    '1,300 made-up tokens of one address: those that are looked at',
    answers.filter(({ status }) => status === 401).length <= API_PER_MINUTE,
    true,
  );
  const late = answers.at(-1)!;
  attempts.refused('the last of them', `${late.status} ${waits(late)}`, '429 true');
  attempts.refused('the queues for the same address', (await asked('/api/console/queues', madeUp())).status, 429);
  attempts.refused(
    'a cookie of the same address',
    (
      await ask(server.port, '/api/console/session', {
        from,
        headers: { cookie: `rain_session=${randomBytes(32).toString('base64url')}` },
      })
    ).status,
    429,
  );
  attempts.refused(
    'a genuine token of the same address: the limit comes before the sign-in',
    (await asked('/api/console/rains', `Bearer ${scene.staff.viewer.token}`)).status,
    429,
  );
  attempts.refused(
    'the same with an address in X-Forwarded-For',
    (
      await ask(server.port, '/api/console/rains', {
        from,
        headers: { 'x-forwarded-for': '203.0.113.77', authorization: madeUp() },
      })
    ).status,
    429,
  );
  attempts.control(
    'a genuine token of another address',
    (await asked('/api/console/rains', `Bearer ${scene.staff.viewer.token}`, other)).status,
    200,
  );
  expectServed(attempts, waited);
}

/** Anybody may ask for the luckiest of a rain; each id that there is not costs a read of the ledger. */
async function inventedRains(scene: Scene, attempts: Attempts, server: Running): Promise<void> {
  const [from, other, rainId] = [scene.address(), scene.address(), await scene.rain()];
  const luckiest = (id: string, address = from) => ask(server.port, `/api/rains/${id}/luckiest`, { from: address });
  const since = performance.now();
  const { answers, ...waited } = await during(
    server,
    scene.console,
    other,
    inTurns(INVENTED_RAINS, (i) => luckiest(`invented-${i}`)),
  );
  attempts.refused(`${INVENTED_RAINS} invented rains of one address`, statusesOf(answers), '404');
  const slowed = INVENTED_RAINS - UNKNOWN_RAINS_PER_MINUTE - LOOKED_UP_AT_ONCE;
  attempts.refused(
    'beyond the limit of a minute they are looked up without a pause',
    performance.now() - since < (slowed / LOOKED_UP_AT_ONCE) * UNKNOWN_PAUSE_MS * 0.9,
    false,
  );
  attempts.control('a rain that there is, for the same address', (await luckiest(rainId)).status, 200);
  for (const id of ['%00', 'a%2fb', 'a:b', '{a}', 'x'.repeat(65), '..%2f..'])
    attempts.refused(`the id ${id}`, (await luckiest(id, other)).status, [400, 404]);
  attempts.control('a rain that there is, for another address', (await luckiest(rainId, other)).status, 200);
  expectServed(attempts, waited);
}

/** Made-up tokens of players: each costs the check of a signature. */
async function madeUpTokens(scene: Scene, attempts: Attempts, server: Running, gateway: Running): Promise<void> {
  const [from, other] = [scene.address(), scene.address()];
  const forged = async (i: number) =>
    `${(await tokenFor(`starving-${i}`)).split('.').slice(0, 2).join('.')}.${randomBytes(32).toString('base64url')}`;
  const { answers, ...waited } = await during(
    server,
    scene.console,
    other,
    inTurns(400, async (i) =>
      ask(server.port, '/api/me', { from, headers: { authorization: `Bearer ${await forged(i)}` } }),
    ),
  );
  attempts.refused('400 forged tokens at the wallet', statusesOf(answers), ['401', '401 429']);
  expectServed(attempts, waited);
  const saleId = await scene.sale();
  const visit = async (token: string, address: string) =>
    ask(gateway.port, `/v1/sales/${saleId}`, { from: address, headers: { authorization: `Bearer ${token}` } });
  const since = performance.now();
  const visits = await inTurns(400, async (i) => visit(await forged(i), from));
  const allowed = HANDSHAKES * (2 + (performance.now() - since) / 1_000);
  attempts.refused(
    '400 forged tokens of one address at a gateway: those that are looked at',
    visits.filter(({ status }) => status === 401).length <= allowed,
    true,
  );
  attempts.refused('all that they are answered', statusesOf(visits), '401 429');
  attempts.refused(
    'some of the refused ones are not told when to come back',
    visits.filter(({ status }) => status === 429).every(waits),
    true,
  );
  attempts.control('a player of another address', (await visit(await tokenFor('not-starved'), other)).status, 200);
}
