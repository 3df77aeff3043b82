import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readProjects } from './projects.ts';

/** They take longest of all others, though they are short: vitest, before it has seen them, would begin with big ones. */
const SLOW = ['test/faults/short.test.ts', 'test/ledger/ledger.test.ts', 'test/typecheck.test.ts', 'test/credit/webhook.test.ts', 'test/bin/deployment.test.ts'];

/**
 * Files with a browser start first, since they take longest, then other slow ones, so that no worker ends with one of them. The rest
 * has vitest's order: slow files first if it has seen them, else big ones.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const { opensBrowser } = readProjects(root);
    const sorted = await super.sort(specifications);
    const pathOf = ({ moduleId }: TestSpecification) => relative(root, moduleId).split(sep).join('/');
    const first = new Set([...sorted.filter((each) => opensBrowser(pathOf(each))), ...sorted.filter((each) => SLOW.includes(pathOf(each)))]);
    return [...first, ...sorted.filter((each) => !first.has(each))];
  }
}
