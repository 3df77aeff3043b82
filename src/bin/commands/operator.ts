import { Option } from 'commander';
import type { Role } from '../../ledger/staff.ts';
import { addOperator, changePassword, disableOperator, issueToken } from '../../operator/staff/staff.ts';
import { iso } from '../../rain/figures.ts';
import { parseDuration } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { withContext } from '../context.ts';
import { accepted, notify } from '../exit.ts';
import { askPassword } from '../password.ts';
import { table } from '../style.ts';

export function addOperatorCommand(program: RainCommand): void {
  const operator = program.command('operator').summary("operators of the console, and tokens for scripts")
    .description("Manages the operators that may sign in to the console, and their tokens for scripts. A password is read from the terminal, without echo, or from standard input.")
    .example('rain operator add alice');

  operator.command('add <name>').summary('add an operator').description('Adds an operator. The password is read from the terminal, without echo, or from standard input.')
    .addOption(new Option('--role <role>', 'a viewer may read everything and change nothing').choices(['operator', 'viewer']).default('operator'))
    .json().example('rain operator add alice --role viewer')
    .runs(async (name: string, { role }: { role: Role }) => {
      const password = await askPassword(program.terminal, `password of ${name}, at least 10 characters`);
      accepted(await withContext(program.terminal, (context) => addOperator(context, name, role, password)));
      return { value: { name, role }, text: `${name} may sign in as ${role}` };
    });

  operator.command('list').summary('list operators').description('Lists all operators, by name.')
    .json().example('rain operator list')
    .runsWithContext(async ({ ledger }) => {
      const people = (await ledger.staff.operators()).map(({ name, role, createdAt, disabledAt }) => ({
        name, role, createdAt: iso(createdAt), ...(disabledAt !== undefined && { disabledAt: iso(disabledAt) }),
      }));
      const rows = table(['name', 'role', 'since', 'disabled'], people.map((one) => [one.name, one.role, one.createdAt, one.disabledAt ?? '']));
      return { value: people, text: people.length === 0 ? 'no operator yet; add one with: rain operator add <name>' : rows };
    });

  operator.command('password <name>').summary('set a new password').description('Sets a new password and ends all sessions of this operator; a disabled operator may then sign in again.')
    .json().example('rain operator password alice')
    .runs(async (name: string) => {
      const password = await askPassword(program.terminal, `new password of ${name}, at least 10 characters`);
      accepted(await withContext(program.terminal, (context) => changePassword(context, name, password)));
      return { value: { name }, text: `${name} has a new password; all sessions are ended` };
    });

  operator.command('disable <name>').summary('disable an operator').description('Ends all sessions and tokens of an operator at once. No further sign-in is possible.')
    .json().example('rain operator disable alice')
    .runsWithContext(async (context, name: string) => {
      accepted(await disableOperator(context, name));
      return { value: { name }, text: `${name} may not sign in any more; all sessions and tokens are ended` };
    });

  operator.command('token <name>').summary('a token for a script').description('Creates a bearer token with the rights of its operator. The token is shown only once.')
    .requiredOption('--label <text>', 'purpose of the token, for the record')
    .option('--for <duration>', 'how long it is valid; default until the operator is disabled', parseDuration)
    .json().example('rain operator token alice --label "nightly report" --for 30d')
    .runsWithContext(async (context, name: string, { label, for: forMs }: { label: string; for?: number }) => {
      const { token, expiresAt } = accepted(await issueToken(context, name, label, forMs));
      notify(program.terminal, 'store this token now: it is not shown again');
      return { value: { name, label, token, ...(expiresAt !== undefined && { expiresAt: iso(expiresAt) }) }, text: token };
    });
}
