import { recycleRain } from '../../operator/recycle.ts';
import { writeOffRain } from '../../operator/writeOff.ts';
import { awaitReplicas } from '../../relay/replicated.ts';
import type { RainCommand } from '../command.ts';
import { configure } from '../context.ts';
import { accepted } from '../exit.ts';

export function addSettlementCommands(program: RainCommand): void {
  program
    .command('recycle <id>')
    .summary('settle an ended rain now')
    .dryRun()
    .description(
      'Settles a rain that has ended: returns the money that nobody has won and closes the ledger of the rain. Workers do this by themselves. If it is too early, the command reports what is outstanding.',
    )
    .json()
    .example('rain recycle m3k9x2a1b2c3d4')
    .runsWithContext(async (context, id: string, { dryRun }: { dryRun?: boolean }) => {
      const { DURABILITY: durability, DURABILITY_WAIT_MS: waitMs } = configure(program.terminal.environment, []);
      const replicated =
        durability.mode === 'replicas' ? awaitReplicas(context.redis, durability.replicas, waitMs) : undefined;
      const { state, amount } = accepted(await recycleRain(context, id, { replicated, dryRun }));
      const text = dryRun
        ? `${id}: would be ${state}, and ${amount} in total would go back`
        : `${id}: ${state}, ${amount} went back`;
      return { value: { rainId: id, state, amount }, text };
    });

  program
    .command('write-off <id>')
    .summary('give a rain up that one of the stores has lost')
    .dryRun()
    .description(
      'Closes the ledger of a rain that Redis has lost for good: credits stay, the rest goes back. Lists the users who were told of a win that is not credited, as far as gateways or they themselves have left a record, ' +
        'checked by receipt and plan. While there are any, you must say whether they are paid. A rain that only Redis knows ends there: its winners are listed, to be paid by hand, as the ledger has neither its plan nor its money. So are those of a top-up that the ledger has lost; the rest of that rain goes on.',
    )
    .requiredOption('--reason <text>', 'what happened, for the record; 1 to 500 characters')
    .option('--pay-told', 'first pay the told wins that receipt and plan confirm')
    .option('--no-pay-told', 'close the ledger although they are not paid')
    .option('--new-database', 'the database that Redis was used with is lost, and this one replaces it')
    .json()
    .example('rain write-off m3k9x2a1b2c3d4 --reason "Redis was flushed by mistake" --pay-told')
    .runsWithQueues(
      async (
        context,
        id: string,
        {
          reason,
          dryRun,
          payTold,
          newDatabase,
        }: { reason: string; dryRun?: boolean; payTold?: boolean; newDatabase?: boolean },
      ) => {
        const {
          amount,
          told: listed = [],
          unknown,
          withdrawn,
        } = accepted(await writeOffRain(context, id, reason, { dryRun, payTold, newDatabase }));
        const told = listed.map(({ redPacketId, userId, amount: sum, at, verdict, why }) => ({
          redPacketId,
          userId,
          amount: sum,
          at,
          verdict,
          why,
        }));
        const wins = told.map(
          ({ userId, redPacketId, amount: sum, verdict, why }) =>
            `told, ${verdict}: ${userId}, ${redPacketId}, ${sum}: ${why}`,
        );
        const text = dryRun
          ? `${id}: ${amount} would go back, and the ledger would be closed`
          : `${id}: ${amount} went back, the ledger is closed`;
        if (unknown)
          return {
            value: { rainId: id, recycled: amount, told },
            text: [
              ...wins,
              `${id}: ${dryRun ? 'would be' : 'is'} closed in Redis, with ${told.length} told wins that the ledger cannot pay: it knows neither plan nor money of the rain`,
            ].join('\n'),
          };
        if (withdrawn !== undefined)
          return {
            value: { rainId: id, recycled: amount, told, withdrawn },
            text: [
              ...wins,
              `${id}: ${withdrawn} packets of a lost top-up ${dryRun ? 'would be' : 'were'} taken off the list, with ${told.length} told wins that the ledger cannot pay; if it was open, the rain is paused: go on with rain resume ${id}`,
            ].join('\n'),
          };
        return { value: { rainId: id, recycled: amount, told }, text: [...wins, text].join('\n') };
      },
    );
}
