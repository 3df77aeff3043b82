import type { OperatorContext } from '../../src/operator/context.ts';

/** Pauses of a rain by the auditor: a fault of the machines must never look like a hand in the data. */
export async function falseAlarms({ ledger }: Pick<OperatorContext, 'ledger'>, rainId: string): Promise<string[]> {
  return (await ledger.actions(rainId))
    .filter(({ verb, actor }) => verb === 'pause' && actor === 'auditor')
    .map(({ details }) => `the auditor has paused the rain: ${JSON.stringify(details?.['reason'])}`);
}
