import type { OperatorContext } from '../context.ts';
import { both, findOnDatabase, named, type Finding } from './finding.ts';

/** Whether open rains and sales have the times that were recorded for them. */
export async function examineWindows({ ledger }: Pick<OperatorContext, 'ledger'>): Promise<Finding[]> {
  const moved = both(await ledger.movedWindows(), await ledger.movedWindows());
  const found = moved.length === 0 ? 'as recorded' : `others than recorded: ${named(moved)}`;
  const expected = 'the times that were recorded for each rain and sale';
  return [
    findOnDatabase(
      'windows',
      moved.length === 0 ? 'ok' : 'wrong',
      found,
      expected,
      'stop all servers, run deploy/postgresql/windows.sql, and start them again; see docs/how-to/upgrade.md',
    ),
  ];
}
