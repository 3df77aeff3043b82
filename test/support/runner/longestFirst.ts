import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readProjects } from './projects.ts';
import { startOrder } from './startOrder.ts';

/**
 * Slow files first, known by name; files that take equally long keep vitest's order: slow ones first if it has seen
 * them, else big ones.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const { opensBrowser } = readProjects(root);
    const sorted = await super.sort(specifications);
    return startOrder(
      sorted.map((specification) => {
        const path = relative(root, specification.moduleId).split(sep).join('/');
        return { specification, path, opensBrowser: opensBrowser(path) };
      }),
    ).map(({ specification }) => specification);
  }
}
