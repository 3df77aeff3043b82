import { disableOperator } from '../../../src/operator/staff/staff.ts';
import { ask, type Answer } from '../asker.ts';
import type { Attempts, Family } from '../family.ts';
import { PASSWORD, type Scene } from '../scene.ts';

/** Guesses that are answered before a limit: of one name and address, of one address, of one name. */
const PER_PAIR = 5;
const PER_ADDRESS = 20;
const PER_NAME = 40;
const TIMED = 5;
/** A check takes a tenth of a second; a machine that is busy makes it longer, but not for one kind of name alone. */
const SLOWER_AT_MOST = 2.5;

const brief = ({ status, json }: Answer) => `${status} ${String(json?.['code'] ?? '')}`;
const LIMITED = '429 too_many_attempts';
const WRONG = '401 wrong_password';

const guess = (
  { console: { port } }: Scene,
  name: unknown,
  from: string,
  password: unknown = 'a wrong guess',
  cookie?: string,
) =>
  ask(port, '/api/console/session', {
    method: 'POST',
    body: { name, password },
    from,
    ...(cookie !== undefined && { headers: { cookie } }),
  });

async function oneAddress(scene: Scene, attempts: Attempts): Promise<void> {
  const { name, password } = await scene.addStaff('password-one', 'operator');
  const from = scene.address();
  for (let i = 0; i < PER_PAIR; i++)
    attempts.control(`guess ${i + 1} of one address is answered`, brief(await guess(scene, name, from)), WRONG);
  const answers = [await guess(scene, name, from), await guess(scene, name, from)];
  attempts.refused(
    'a sixth guess waits its time, and a seventh',
    answers.map(brief).join(),
    /^(401 wrong_password,)?429 too_many_attempts(,429 too_many_attempts)?$/,
  );
  const refused = answers.at(-1)!;
  const seconds = Number(refused.headers['retry-after']);
  attempts.refused('a refusal that does not say for how long', seconds >= 1 && seconds <= 20, true);
  attempts.refused(
    'a refusal whose words and header say different times',
    refused.text.includes(`${seconds} second`) || (seconds === 1 && refused.text.includes('a second')),
    true,
  );
  attempts.refused(
    'the right password from there, meanwhile',
    brief(await guess(scene, name, from, password)),
    LIMITED,
  );
  attempts.control(
    'the right password from elsewhere',
    brief(await guess(scene, name, scene.address(), password)),
    '200 ',
  );
  const together = scene.address();
  const { name: other } = await scene.addStaff('password-parallel', 'operator');
  const parallel = await Promise.all(Array.from({ length: 30 }, () => guess(scene, other, together)));
  attempts.refused(
    'thirty guesses at once',
    parallel.filter(({ status }) => status !== 429).length <= PER_PAIR + 1,
    true,
  );
}

/** One guess for each of many names, as with a list of leaked passwords. */
async function manyNames(scene: Scene, attempts: Attempts): Promise<void> {
  const from = scene.address();
  const statuses: number[] = [];
  for (let i = 0; i < PER_ADDRESS + 3; i++) statuses.push((await guess(scene, `password-list-${i}`, from)).status);
  attempts.control(
    'one guess for each of many names is answered, up to a limit',
    statuses.slice(0, PER_ADDRESS).every((status) => status === 401),
    true,
  );
  attempts.refused('… and not beyond it', statuses.slice(-2).join(), '429,429');
}

/** From so many addresses that only the name can be limited: its owner must not be locked out. */
async function manyAddresses(scene: Scene, attempts: Attempts): Promise<void> {
  const { name, password } = await scene.addStaff('password-many', 'operator');
  const home = scene.address();
  const { cookie } = await scene.signIn({ name, password }, home);
  const foreign = (await scene.signIn(scene.staff.second, home)).cookie;
  const statuses: number[] = [];
  for (let i = 0; i < PER_NAME + 4; i++) statuses.push((await guess(scene, name, scene.address())).status);
  attempts.refused('guesses from as many addresses', statuses.slice(-3).join(), '429,429,429');
  attempts.refused(
    'the right password from one more address',
    brief(await guess(scene, name, scene.address(), password)),
    LIMITED,
  );
  const device = (text: string) => /rain_device=[^;]*/.exec(text)?.[0] ?? 'rain_device=none';
  attempts.refused(
    '… with the device of another operator',
    brief(await guess(scene, name, scene.address(), password, device(foreign))),
    LIMITED,
  );
  const [id, since, mac] = device(cookie).split(/[=.]/).slice(1) as [string, string, string];
  for (const [what, forged] of [
    ['of another id', `${'A'.repeat(22)}.${since}.${mac}`],
    ['of another time', `${id}.${Number(since) + 1}.${mac}`],
    ['with another signature', `${id}.${since}.${'A'.repeat(43)}`],
    ['without a signature', `${id}.${since}.`],
    ['of this name', name],
  ] as const) {
    attempts.refused(
      `… with a device ${what}`,
      brief(await guess(scene, name, scene.address(), password, `rain_device=${forged}`)),
      LIMITED,
    );
  }
  attempts.control(
    'the known device signs in all the same',
    brief(await guess(scene, name, home, password, device(cookie))),
    '200 ',
  );
  const stolen = [];
  for (let i = 0; i < PER_PAIR + 3; i++)
    stolen.push((await guess(scene, name, scene.address(), 'a wrong guess', device(cookie))).status);
  attempts.refused('guesses with a stolen device', stolen.slice(-2).join(), '429,429');
}

/** Whether there is such an operator, and which password is nearly right, cannot be told from an answer. */
async function alike(scene: Scene, attempts: Attempts): Promise<void> {
  const { name } = await scene.addStaff('password-real', 'operator');
  const { name: gone, password } = await scene.addStaff('password-gone', 'operator');
  await disableOperator(scene.context, gone);
  const told = ({ status, headers, text }: Answer) =>
    JSON.stringify([status, text, Object.keys(headers).sort(), headers['content-length']]);
  const wrong = await guess(scene, name, scene.address());
  attempts.control('a wrong password of a real name', brief(wrong), WRONG);
  for (const unknown of [
    'password-none',
    'ＰＡＳＳＷＯＲＤ-real',
    name.toUpperCase(),
    ` ${name}`,
    `${name}\u0000`,
    `${name}'--`,
    '__proto__',
    '*',
    '名',
    `${name}\n`,
    '\ud800',
  ])
    attempts.refused(
      `the name ${JSON.stringify(unknown)}`,
      told(await guess(scene, unknown, scene.address())),
      told(wrong),
    );
  attempts.refused(
    'a disabled account with its right password',
    told(await guess(scene, gone, scene.address(), password)),
    told(wrong),
  );
  for (const typed of [
    '',
    `${PASSWORD} `,
    PASSWORD.toUpperCase(),
    `${PASSWORD}\u0000`,
    PASSWORD.slice(0, -1),
    'x'.repeat(1_024),
  ])
    attempts.refused(
      `the password ${JSON.stringify(typed).slice(0, 40)}`,
      told(await guess(scene, name, scene.address(), typed)),
      told(wrong),
    );
  for (const typed of [null, 7, true, [PASSWORD], { $ne: '' }, 'x'.repeat(1_025)])
    attempts.refused(
      `a password that is ${JSON.stringify(typed)?.slice(0, 40)}`,
      (await guess(scene, name, scene.address(), typed)).status,
      400,
    );
  attempts.refused(
    'a password of 100 KB',
    (await guess(scene, name, scene.address(), 'x'.repeat(100_000))).status,
    413,
  );

  const times: Record<'real' | 'none' | 'odd', number[]> = { real: [], none: [], odd: [] };
  for (let i = 0; i < TIMED; i++) {
    for (const [kind, tried] of [
      ['real', name],
      ['none', `password-none-${i}`],
      ['odd', `a\u0000${i}`],
    ] as const) {
      const since = performance.now();
      await guess(scene, tried, scene.address());
      times[kind].push(performance.now() - since);
    }
  }
  const median = (list: number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
  for (const kind of ['none', 'odd'] as const) {
    const ratio = median(times.real) / median(times[kind]);
    attempts.refused(
      `a name of nobody (${kind}) is told by its time, ${median(times[kind]).toFixed(0)} ms for ${median(times.real).toFixed(0)} ms`,
      ratio < SLOWER_AT_MOST && ratio > 1 / SLOWER_AT_MOST,
      true,
    );
  }
}

export const passwords: Family = {
  name: 'passwords',
  alone: true,
  async attack(scene, attempts) {
    await oneAddress(scene, attempts);
    await manyNames(scene, attempts);
    await manyAddresses(scene, attempts);
    await alike(scene, attempts);
  },
};
