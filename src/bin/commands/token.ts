import type { Command } from 'commander';
import { userId } from '../../rain/claim.ts';
import { firstRefusal, formatRefusal } from '../../rain/refusal.ts';
import { ConfigError } from '../../platform/config.ts';
import { CommandFailure, EXIT, print } from '../exit.ts';
import { configure } from '../context.ts';
import { parseDuration } from '../time.ts';
import type { Terminal } from '../terminal.ts';

export function addTokenCommand(program: Command, terminal: Terminal): void {
  program.command('token').summary('sign a token for tests')
    .description('Signs a JWT with JWT_SECRET, for tests. In production your own login issues the tokens.')
    .requiredOption('--user <id>', 'the user id, the sub of the token')
    .option('--ttl <time>', 'how long the token is valid', parseDuration, 3_600_000)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain token --user alice --ttl 2h')
    .action(async ({ user, ttl, json }: { user: string; ttl: number; json?: boolean }) => {
      const sub = userId.safeParse(user);
      if (!sub.success) throw new CommandFailure(EXIT.usage, formatRefusal(firstRefusal(sub.error, '--user')));
      const token = await tokenSigner(terminal, Math.ceil(ttl / 1_000))(sub.data);
      print(terminal, json, { token, userId: sub.data, expiresAt: new Date(Date.now() + ttl).toISOString() }, token);
    });
}

/** @throws ConfigError when there is no secret to sign with */
export function tokenSigner(terminal: Terminal, expiresInSeconds: number): (sub: string) => Promise<string> {
  const { secret, ...rest } = signingData(terminal, expiresInSeconds);
  const signing = import('../../platform/auth/token.ts');
  return async (sub) => (await signing).signToken(secret, { sub, ...rest });
}

/** The data to sign tokens in another process. @throws ConfigError when there is no secret to sign with */
export function signingData({ environment }: Terminal, expiresInSeconds: number): { secret: string; expiresInSeconds: number; issuer?: string; audience?: string } {
  const { JWT_SECRET, JWT_ISSUER, JWT_AUDIENCE } = configure(environment, []);
  if (JWT_SECRET === undefined) throw new ConfigError(['JWT_SECRET: missing, expected the secret to sign tokens with']);
  return { secret: JWT_SECRET, expiresInSeconds, ...(JWT_ISSUER !== undefined && { issuer: JWT_ISSUER }), ...(JWT_AUDIENCE !== undefined && { audience: JWT_AUDIENCE }) };
}
