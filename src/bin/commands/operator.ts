import { Option, type Command } from 'commander';
import type { Role } from '../../ledger/staff.ts';
import { addOperator, changePassword, disableOperator, issueToken } from '../../operator/staff/staff.ts';
import { accepted, print, notify } from '../exit.ts';
import { withContext } from '../context.ts';
import { parseDuration } from '../time.ts';
import { askPassword } from '../password.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export function addOperatorCommand(program: Command, terminal: Terminal): void {
  const operator = program.command('operator').summary("operators of the console, and tokens for scripts")
    .description("Manages the operators that may sign in to the console, and their tokens for scripts. A password is read from the terminal, without echo, or from standard input.")
    .addHelpText('after', '\nExample:\n  rain operator add alice');

  operator.command('add <name>').summary('add an operator').description('Adds an operator. The password is read from the terminal, without echo, or from standard input.')
    .addOption(new Option('--role <role>', 'a viewer may read everything and change nothing').choices(['operator', 'viewer']).default('operator'))
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain operator add alice --role viewer')
    .action(async (name: string, { role, json }: { role: Role; json?: boolean }) => {
      const password = await askPassword(terminal, `password of ${name}, at least 10 characters`);
      await withContext(terminal, async (context) => {
        accepted(await addOperator(context, name, role, password));
        print(terminal, json, { name, role }, `${name} may sign in as ${role}`);
      });
    });

  operator.command('list').summary('list operators').description('Lists all operators, by name.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain operator list')
    .action(({ json }: { json?: boolean }) => withContext(terminal, async (context) => {
      const people = (await context.ledger.staff.operators()).map(({ name, role, createdAt, disabledAt }) => ({
        name, role, createdAt: new Date(createdAt).toISOString(), ...(disabledAt !== undefined && { disabledAt: new Date(disabledAt).toISOString() }),
      }));
      print(terminal, json, people, people.length === 0 ? 'no operator yet; add one with: rain operator add <name>' : table(['name', 'role', 'since', 'disabled'], people.map((one) => [one.name, one.role, one.createdAt, one.disabledAt ?? ''])));
    }));

  operator.command('password <name>').summary('set a new password').description('Sets a new password and ends all sessions of this operator; a disabled operator may then sign in again.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain operator password alice')
    .action(async (name: string, { json }: { json?: boolean }) => {
      const password = await askPassword(terminal, `new password of ${name}, at least 10 characters`);
      await withContext(terminal, async (context) => {
        accepted(await changePassword(context, name, password));
        print(terminal, json, { name }, `${name} has a new password; all sessions are ended`);
      });
    });

  operator.command('disable <name>').summary('disable an operator').description('Ends all sessions and tokens of an operator at once. No further sign-in is possible.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain operator disable alice')
    .action((name: string, { json }: { json?: boolean }) => withContext(terminal, async (context) => {
      accepted(await disableOperator(context, name));
      print(terminal, json, { name }, `${name} may not sign in any more; all sessions and tokens are ended`);
    }));

  operator.command('token <name>').summary('a token for a script').description('Creates a bearer token with the rights of its operator. The token is shown only once.')
    .requiredOption('--label <text>', 'purpose of the token, for the record')
    .option('--for <duration>', 'how long it is valid; default until the operator is disabled', parseDuration)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain operator token alice --label "nightly report" --for 30d')
    .action((name: string, { label, for: forMs, json }: { label: string; for?: number; json?: boolean }) => withContext(terminal, async (context) => {
      const done = accepted(await issueToken(context, name, label, forMs));
      const until = done.expiresAt === undefined ? {} : { expiresAt: new Date(done.expiresAt).toISOString() };
      notify(terminal, 'store this token now: it is not shown again');
      print(terminal, json, { name, label, token: done.token, ...until }, done.token);
    }));
}
