import { eraseUser, exportUser } from '../../operator/personalData.ts';
import { typedAmount } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { accepted } from '../exit.ts';

const WHO = 'the user (the sub of the token)';

export function addUserCommand(program: RainCommand): void {
  const user = program
    .command('user')
    .summary('what is kept about one user')
    .description('Exports what is kept about a user, or erases the user.')
    .example('rain user export alice > alice.json');

  user
    .command('export')
    .summary('everything that is kept about a user')
    .description('Prints everything that is kept about a user, as JSON. It is recorded.')
    .argument('<id>', WHO)
    .json('print it on one line')
    .example('rain user export alice > alice.json')
    .runsWithContext(async (context, id: string) => {
      const { data } = accepted(await exportUser(context, id));
      return { value: data, text: JSON.stringify(data, null, 2) };
    });

  user
    .command('erase')
    .summary('erase a user')
    .description(
      'Replaces the id of a user by a pseudonym of chance, everywhere in the ledger, for ever. Sums and proofs stay as they are. It is recorded without the id, and safe to repeat.',
    )
    .argument('<id>', WHO)
    .option('--balance <amount>', 'what the wallet of the user holds: nobody can ask for it afterwards', typedAmount)
    .json()
    .example('rain user erase alice --balance 12.21')
    .runsWithContext(async (context, id: string, { balance }: { balance?: string }) => {
      const { rows } = accepted(await eraseUser(context, id, { balance }));
      return {
        value: { rows },
        text:
          rows === 0
            ? 'nothing is kept about a user of this id'
            : `erased: ${rows} rows have a pseudonym in place of the id`,
      };
    });
}
