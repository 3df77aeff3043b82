import type { RainReport } from '../../../operator/audit.ts';
import type { SwarmReport } from '../../../loadtest/report/report.ts';
import type { Verdict } from '../../../loadtest/report/verdict.ts';
import { figure } from '../../../rain/figures.ts';
import { describeReport } from '../../auditText.ts';
import { paint, table } from '../../style.ts';
import { seconds, type Failover } from './failover.ts';
import type { RefusedUsers } from './refusals.ts';

interface TrialMaster extends RefusedUsers {
  name: string;
  port: number;
  killed: boolean;
  /** Shards of the rain; a user belongs to one of them. */
  shards: number[];
}

/** The output of `rain up --cluster --json`. Amounts are decimal strings; all times of users are ms since the kill. */
export interface Trial extends Failover, Pick<SwarmReport, 'rainId' | 'users' | 'winners' | 'told' | 'outcomes'> {
  packets: number;
  killed: string;
  masters: TrialMaster[];
  settled: boolean;
  /** The first audit: Redis against the ledger. */
  audit: RainReport;
  problems: string[];
  inOrder: boolean;
  /** The second one: what the users were told, against the first. */
  answers: Verdict;
  /** Both, of a rain that is settled. */
  balanced: boolean;
}

export function describeTrial({
  users,
  packets,
  masters,
  killed,
  promotedMs,
  inStepMs,
  winners,
  told,
  settled,
  audit,
  problems,
  answers,
  balanced,
}: Trial): string {
  const rows = masters.map((master) => [
    `${master.name}${master.killed ? ', killed' : ''}`,
    master.shards.join(', '),
    master.users,
    master.refused,
    master.refused === 0 ? '-' : `${seconds(master.fromMs)} to ${seconds(master.untilMs)}`,
    master.refused === 0 ? '-' : seconds(master.longestMs),
  ]);
  const others = masters.filter((master) => !master.killed);
  const dead = masters.filter((master) => master.killed);
  const sum = (of: TrialMaster[], part: 'users' | 'refused') => of.reduce((total, master) => total + master[part], 0);
  return [
    '',
    'Users who asked after the kill, by the master of their shard ("busy" is the answer to a user who is refused; the app asks again by itself):',
    table(['', 'shards', 'users', 'refused', 'since the kill', 'longest wait of one user'], rows),
    '',
    `${killed} was killed. Its replica was master after ${seconds(promotedMs)}, and had a replica again after ${seconds(inStepMs)}.`,
    `Of its ${figure(sum(dead, 'users'))} users ${figure(sum(dead, 'refused'))} were refused, of the ${figure(sum(others, 'users'))} users of the other masters ${figure(sum(others, 'refused'))}.`,
    ...(sum(others, 'refused') > 0
      ? [
          'Users of other masters are refused when their own shards are empty while packets lie in those of the killed one, since "nothing left" would be untrue; and when the machine is too busy.',
        ]
      : []),
    `${figure(winners)} of ${figure(users)} users won; there were ${figure(packets)} packets. They were told ${told}.`,
    ...masters.flatMap(({ name, unanswered }) =>
      unanswered > 0 ? [paint.warning(`${figure(unanswered)} refused users of ${name} never got another answer.`)] : [],
    ),
    ...(settled ? [] : [paint.bad('The rain was not settled in time.')]),
    ...problems,
    '',
    'Audit 1, Redis against the ledger and its accounts:',
    describeReport(audit),
    '',
    'Audit 2, what the users were told against audit 1:',
    answers.sentence,
    '',
    balanced ? paint.good('Everything adds up.') : paint.bad('NOT EVERYTHING ADDS UP.'),
  ].join('\n');
}
