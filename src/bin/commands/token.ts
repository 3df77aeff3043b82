import { bearerId, rainId } from '../../rain/ids.ts';
import { iso } from '../../rain/figures.ts';
import { firstRefusal, formatRefusal } from '../../rain/refusal.ts';
import type { Named } from '../../platform/auth/token.ts';
import { saleId } from '../../sale/ids.ts';
import { parseDuration } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { configure, signingKey } from '../context.ts';
import { CommandFailure, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

interface TokenOptions {
  user: string;
  ttl: number;
  rain: string[];
  sale: string[];
  watch?: true;
}

export function addTokenCommand(program: RainCommand): void {
  program
    .command('token')
    .summary('sign a token for tests')
    .description('Signs a JWT with JWT_SECRET, for tests. In production your own login issues the tokens.')
    .requiredOption('--user <id>', 'the user id, the sub of the token')
    .option('--ttl <time>', 'how long the token is valid', parseDuration, 3_600_000)
    .option(
      '--rain <id>',
      'the token is for this rain and for no other; may be repeated; *: every rain that is not by invitation',
      collect,
      [],
    )
    .option('--sale <id>', 'the same for sales', collect, [])
    .option('--watch', 'the token only watches: its bearer takes part in nothing')
    .json()
    .example('rain token --user alice --ttl 2h', 'rain token --user alice --rain m3k9x2a1b2c3d4')
    .runs(async ({ user, ttl, rain, sale, watch }: TokenOptions) => {
      const sub = bearerId.safeParse(user);
      if (!sub.success) throw new CommandFailure(EXIT.usage, formatRefusal(firstRefusal(sub.error, '--user')));
      const { NAMED_MAX } = await import('../../platform/auth/token.ts');
      for (const [option, ids, id] of [
        ['--rain', rain, rainId],
        ['--sale', sale, saleId],
      ] as const) {
        const wrong = ids
          .map((text) => (text === '*' ? undefined : id.safeParse(text).error))
          .find((error) => error !== undefined);
        if (wrong) throw new CommandFailure(EXIT.usage, formatRefusal(firstRefusal(wrong, option)));
        if (ids.length > NAMED_MAX)
          throw new CommandFailure(EXIT.usage, `${option}: expected at most ${NAMED_MAX} ids, got ${ids.length}`);
      }
      const named = {
        ...(rain.length > 0 && { rains: rain }),
        ...(sale.length > 0 && { sales: sale }),
        ...(watch && { watch }),
      };
      const token = await tokenSigner(program.terminal, Math.ceil(ttl / 1_000), named)(sub.data);
      return { value: { token, userId: sub.data, expiresAt: iso(Date.now() + ttl) }, text: token };
    });
}

const collect = (id: string, ids: string[]): string[] => [...ids, id];

/** @param named the purpose of the tokens, unless they are for everything */
export function tokenSigner(
  terminal: Terminal,
  expiresInSeconds: number,
  named: Named = {},
): (sub: string) => Promise<string> {
  const { secret, ...rest } = signingData(terminal, expiresInSeconds, named);
  const signing = import('../../platform/auth/token.ts');
  return async (sub) => (await signing).signToken(secret, { sub, ...rest });
}

/** Also for tokens that another process signs. */
export function signingData(
  { environment }: Terminal,
  expiresInSeconds: number,
  named: Named,
): ReturnType<typeof signingKey> & { expiresInSeconds: number } & Named {
  return { ...signingKey(configure(environment, []), 'tokens'), expiresInSeconds, ...named };
}
