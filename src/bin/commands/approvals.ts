import { approve, listApprovals, refuseApproval } from '../../operator/approval/decide.ts';
import { iso } from '../../rain/figures.ts';
import type { RainCommand } from '../command.ts';
import { accepted } from '../exit.ts';
import { table } from '../style.ts';

const EXAMPLE = '9f86d081884c7d6504';

export function addApprovalsCommand(program: RainCommand): void {
  const approvals = program
    .command('approvals')
    .summary('what waits for a second operator')
    .description(
      'Verbs that move more money than APPROVAL_ABOVE wait here, with their exact parameters, until another operator approves them.',
    )
    .example('rain approvals list');

  approvals
    .command('list')
    .summary('list them, those that wait first')
    .description(
      'Lists what waits, the largest amount first, and then what did, latest first, with its parameters and who decided.',
    )
    .json()
    .example('rain approvals list')
    .runsWithContext(async (context) => {
      const listed = (await listApprovals(context)).map(({ askedAt, expiresAt, decision, carriedOutAt, ...plain }) => ({
        ...plain,
        askedAt: iso(askedAt),
        expiresAt: iso(expiresAt),
        ...(decision && { decision: { ...decision, at: iso(decision.at) } }),
        ...(carriedOutAt !== undefined && { carriedOutAt: iso(carriedOutAt) }),
      }));
      const rows = table(
        ['id', 'state', 'verb', 'rain', 'amount', 'asked by', 'until', 'decided by', 'parameters'],
        listed.map((one) => [
          one.id,
          one.state,
          one.verb,
          one.rainId,
          one.amount,
          one.askedBy,
          one.expiresAt,
          one.decision?.by ?? '',
          JSON.stringify(one.request),
        ]),
      );
      return { value: listed, text: listed.length === 0 ? 'nothing has waited for a second operator' : rows };
    });

  approvals
    .command('approve <id>')
    .summary('approve and carry out')
    .description('Approves what another operator has asked for, and carries it out, once. If it is cut, repeat it.')
    .json()
    .example(`rain approvals approve ${EXAMPLE}`)
    .runsWithQueues(async (context, id: string) => {
      const {
        approval: { verb, rainId, amount, askedBy },
      } = accepted(await approve(context, id));
      return {
        value: { id, verb, rainId, amount, askedBy },
        text: `${verb} of ${rainId}, ${amount}, asked for by ${askedBy}: approved and carried out`,
      };
    });

  approvals
    .command('refuse <id>')
    .summary('refuse it')
    .description('Refuses what another operator has asked for. It is never carried out.')
    .json()
    .example(`rain approvals refuse ${EXAMPLE}`)
    .runsWithContext(async (context, id: string) => {
      const {
        approval: { verb, rainId, amount, askedBy },
      } = accepted(await refuseApproval(context, id));
      return {
        value: { id, verb, rainId, amount, askedBy },
        text: `${verb} of ${rainId}, ${amount}, asked for by ${askedBy}: refused`,
      };
    });
}
