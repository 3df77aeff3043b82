import { Argument, Option } from 'commander';
import type { Role } from '../../ledger/staff.ts';
import { endAccess, listAccess } from '../../operator/staff/access.ts';
import { PASSWORD_CHARACTERS_MIN } from '../../operator/staff/password.ts';
import {
  addOperator,
  changePassword,
  changeRole,
  disableOperator,
  issueToken,
  TOKEN_DAYS,
} from '../../operator/staff/staff.ts';
import { resetTotp } from '../../operator/staff/totp.ts';
import { iso } from '../../rain/figures.ts';
import { parseDuration } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { withContext } from '../context.ts';
import { accepted, CommandFailure, EXIT, notify } from '../exit.ts';
import { askPassword } from '../password.ts';
import { table } from '../style.ts';

export function addOperatorCommand(program: RainCommand): void {
  const operator = program
    .command('operator')
    .summary('operators of the console, and tokens for scripts')
    .description(
      'Manages the operators that may sign in to the console, and their tokens for scripts. A password is read from the terminal, without echo, or from standard input.',
    )
    .example('rain operator add alice');

  operator
    .command('add <name>')
    .summary('add an operator')
    .description('Adds an operator. The password is read from the terminal, without echo, or from standard input.')
    .addOption(
      new Option('--role <role>', 'a viewer may read everything and change nothing')
        .choices(['operator', 'viewer'])
        .default('operator'),
    )
    .json()
    .example('rain operator add alice --role viewer')
    .runs(async (name: string, { role }: { role: Role }) => {
      const password = await askPassword(
        program.terminal,
        `password of ${name}, at least ${PASSWORD_CHARACTERS_MIN} characters`,
      );
      accepted(await withContext(program.terminal, (context) => addOperator(context, name, role, password)));
      return { value: { name, role }, text: `${name} may sign in as ${role}` };
    });

  operator
    .command('list')
    .summary('list operators')
    .description('Lists all operators, by name.')
    .json()
    .example('rain operator list')
    .runsWithContext(async ({ ledger }) => {
      const people = (await ledger.staff.operators()).map(({ name, role, totpSecret, createdAt, disabledAt }) => ({
        name,
        role,
        totp: totpSecret !== undefined,
        createdAt: iso(createdAt),
        ...(disabledAt !== undefined && { disabledAt: iso(disabledAt) }),
      }));
      const rows = table(
        ['name', 'role', 'codes', 'since', 'disabled'],
        people.map((one) => [one.name, one.role, one.totp ? 'yes' : '', one.createdAt, one.disabledAt ?? '']),
      );
      return {
        value: people,
        text: people.length === 0 ? 'no operator yet; add one with: rain operator add <name>' : rows,
      };
    });

  operator
    .command('password <name>')
    .summary('set a new password')
    .description(
      'Sets a new password and ends all sessions and tokens of this operator; a disabled operator may then sign in again.',
    )
    .json()
    .example('rain operator password alice')
    .runs(async (name: string) => {
      const password = await askPassword(
        program.terminal,
        `new password of ${name}, at least ${PASSWORD_CHARACTERS_MIN} characters`,
      );
      accepted(await withContext(program.terminal, (context) => changePassword(context, name, password)));
      return { value: { name }, text: `${name} has a new password; all sessions and tokens are ended` };
    });

  operator
    .command('role')
    .argument('<name>')
    .addArgument(
      new Argument('<role>', 'a viewer may read everything and change nothing').choices(['operator', 'viewer']),
    )
    .summary('set another role')
    .description('Sets the role of an operator, and ends all sessions and tokens of this operator.')
    .json()
    .example('rain operator role alice viewer')
    .runsWithContext(async (context, name: string, role: Role) => {
      accepted(await changeRole(context, name, role));
      return { value: { name, role }, text: `${name} is ${role} now; all sessions and tokens are ended` };
    });

  operator
    .command('disable <name>')
    .summary('disable an operator')
    .description('Ends all sessions and tokens of an operator at once. No further sign-in is possible.')
    .json()
    .example('rain operator disable alice')
    .runsWithContext(async (context, name: string) => {
      accepted(await disableOperator(context, name));
      return { value: { name }, text: `${name} may not sign in any more; all sessions and tokens are ended` };
    });

  operator
    .command('token <name>')
    .summary('a token for a script')
    .description('Creates a bearer token with the rights of its operator. The token is shown only once.')
    .requiredOption('--label <text>', 'purpose of the token, for the record')
    .option('--for <duration>', `how long it is valid, at most 366d; default ${TOKEN_DAYS}d`, parseDuration)
    .json()
    .example('rain operator token alice --label "nightly report" --for 30d')
    .runsWithContext(async (context, name: string, { label, for: forMs }: { label: string; for?: number }) => {
      const { token, expiresAt } = accepted(await issueToken(context, name, label, forMs));
      notify(program.terminal, 'store this token now: it is not shown again');
      return { value: { name, label, token, expiresAt: iso(expiresAt) }, text: token };
    });

  operator
    .command('sessions <name>')
    .summary('list sessions and tokens')
    .description(
      "Lists where an operator is signed in, and the operator's tokens: since when, used last, from where, with which device.",
    )
    .json()
    .example('rain operator sessions alice')
    .runsWithContext(async (context, name: string) => {
      const known = await listAccess(context, name);
      if (!known) throw new CommandFailure(EXIT.refused, `name: there is no operator ${name}`);
      const listed = known.map(({ hash: _, since, lastUsedAt, expiresAt, ...plain }) => ({
        ...plain,
        since: iso(since),
        expiresAt: iso(expiresAt),
        ...(lastUsedAt !== undefined && { lastUsedAt: iso(lastUsedAt) }),
      }));
      const rows = table(
        ['id', 'kind', 'since', 'last used', 'until', 'address', 'device'],
        listed.map((one) => [
          one.id,
          one.kind,
          one.since,
          one.lastUsedAt ?? '',
          one.expiresAt,
          one.address ?? '',
          one.device,
        ]),
      );
      return { value: listed, text: listed.length === 0 ? `${name} has no session and no token` : rows };
    });

  operator
    .command('end-session <name> <id>')
    .summary('end a session or a token')
    .description('Ends one session or token of an operator at once; rain operator sessions names them.')
    .json()
    .example('rain operator end-session alice 9f86d081884c7d65')
    .runsWithContext(async (context, name: string, id: string) => {
      const {
        ended: { kind },
      } = accepted(await endAccess(context, name, id));
      return { value: { name, id, kind }, text: `the ${kind} ${id} of ${name} is ended` };
    });

  operator
    .command('reset-totp <name>')
    .summary('take one-time codes away')
    .description(
      'For an operator who has lost the device and the recovery codes: the password alone signs in again, until new codes are set up. Ends all sessions.',
    )
    .json()
    .example('rain operator reset-totp alice')
    .runsWithContext(async (context, name: string) => {
      accepted(await resetTotp(context, name));
      return { value: { name }, text: `${name} has no one-time codes now; all sessions are ended` };
    });
}
