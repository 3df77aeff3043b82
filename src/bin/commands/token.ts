import { userId } from '../../rain/ids.ts';
import { iso } from '../../rain/figures.ts';
import { firstRefusal, formatRefusal } from '../../rain/refusal.ts';
import { parseDuration } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { configure, signingKey } from '../context.ts';
import { CommandFailure, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export function addTokenCommand(program: RainCommand): void {
  program.command('token').summary('sign a token for tests')
    .description('Signs a JWT with JWT_SECRET, for tests. In production your own login issues the tokens.')
    .requiredOption('--user <id>', 'the user id, the sub of the token')
    .option('--ttl <time>', 'how long the token is valid', parseDuration, 3_600_000)
    .json().example('rain token --user alice --ttl 2h')
    .runs(async ({ user, ttl }: { user: string; ttl: number }) => {
      const sub = userId.safeParse(user);
      if (!sub.success) throw new CommandFailure(EXIT.usage, formatRefusal(firstRefusal(sub.error, '--user')));
      const token = await tokenSigner(program.terminal, Math.ceil(ttl / 1_000))(sub.data);
      return { value: { token, userId: sub.data, expiresAt: iso(Date.now() + ttl) }, text: token };
    });
}

export function tokenSigner(terminal: Terminal, expiresInSeconds: number): (sub: string) => Promise<string> {
  const { secret, ...rest } = signingData(terminal, expiresInSeconds);
  const signing = import('../../platform/auth/token.ts');
  return async (sub) => (await signing).signToken(secret, { sub, ...rest });
}

/** Also for tokens that another process signs. */
export function signingData({ environment }: Terminal, expiresInSeconds: number): ReturnType<typeof signingKey> & { expiresInSeconds: number } {
  return { ...signingKey(configure(environment, []), 'tokens'), expiresInSeconds };
}
