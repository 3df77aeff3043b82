import { isNode, place, walk, type SourceFile, type Violation } from './sourceFile.ts';

const MADE = new Set(['Queue', 'Worker', 'QueueEvents', 'FlowProducer']);

/**
 * A queue or worker of BullMQ that is made without bullOptions fails for ever when its first question to Redis fails.
 */
export function fragileQueues(files: readonly SourceFile[]): Violation[] {
  return files
    .filter(({ text }) => text.includes("from 'bullmq'"))
    .flatMap((file) => {
      const found: Violation[] = [];
      walk(file, ({ type, start, end, callee }) => {
        if (type !== 'NewExpression' || !isNode(callee) || !MADE.has(String(callee['name']))) return;
        if (!file.text.slice(start, Number(end)).includes('...bullOptions('))
          found.push(
            `${place(file, start)}: new ${String(callee['name'])}( without ...bullOptions( of src/credit/bullOptions.ts`,
          );
      });
      return found;
    });
}
