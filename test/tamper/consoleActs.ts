import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { compiledEntry } from '../../src/platform/process/childProcess.ts';
import { sessionKey } from '../../src/store/keys.ts';
import { launch, type Deployment } from '../faults/deployment.ts';
import { freePort } from '../support/freePort.ts';
import { addAccount, ask, PASSWORD, type Answered } from '../support/servers/testConsole.ts';
import type { Played } from './play.ts';

/** A browser that is signed in, and the key of its session. */
interface SignedIn extends Pick<Deployment['context'], 'redis'> {
  key: string;
  /** Asks the console for this session. */
  isIn(): Promise<boolean>;
  signOut(): Promise<Answered>;
}

/** One thing that somebody does to a session who can write to Redis, and who has stolen its cookie. */
export interface ConsoleAct {
  name: string;
  /** In the end nobody may be in. */
  strike(session: SignedIn): Promise<unknown>;
}

const HOUR_MS = 3_600_000;

export const CONSOLE_ACTS: readonly ConsoleAct[] = [
  {
    name: 'console: a session put back after it was signed out',
    async strike({ redis, key, signOut }) {
      const kept = (await redis.get(key))!;
      await signOut();
      await redis.set(key, kept, 'PX', HOUR_MS);
    },
  },
  {
    name: 'console: the name of another operator in a session',
    async strike({ redis, key }) {
      const kept = JSON.parse((await redis.get(key))!) as object;
      await redis.set(key, JSON.stringify({ ...kept, name: 'opal' }), 'PX', HOUR_MS);
    },
  },
];

/** An operator signs in at a console of its own process, the act is done, and the stolen cookie is tried. */
export async function playConsole({ env, context }: Deployment, act: ConsoleAct): Promise<Played> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { child } = await launch({
    name: `console-${port}`,
    entry: compiledEntry('bin/rain.js'),
    args: ['console'],
    facts: z.object({}),
    logs: env['RAIN_HOME']!,
    env: { ...env, CONSOLE_HOST: '127.0.0.1', CONSOLE_PORT: String(port) },
  });
  try {
    const name = `op${randomBytes(4).toString('hex')}`;
    await addAccount(context, name, 'operator');
    const answer = await ask(url, 'POST', '/api/console/session', { name, password: PASSWORD });
    const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
    const { csrf } = answer.body as { csrf: string };
    const isIn = async () => (await ask(url, 'GET', '/api/console/session', undefined, { cookie })).status === 200;
    if (!(await isIn())) throw new Error(`${name} cannot sign in: ${JSON.stringify(answer.body)}`);
    await act.strike({
      redis: context.redis,
      key: sessionKey(createHash('sha256').update(cookie.split('=')[1]!).digest('hex')),
      isIn,
      signOut: () => ask(url, 'DELETE', '/api/console/session', undefined, { cookie, 'x-csrf-token': csrf }),
    });
    const opened = await isIn();
    return {
      act: act.name,
      noticed: opened ? '' : 'refused: the cookie opens nothing',
      paidWrongly: [],
      untold: opened ? ['a session that has ended, or that nobody has signed, lets somebody in'] : [],
    };
  } finally {
    await child.stop();
  }
}
