import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readProjects } from './projects.ts';

/** Files with a browser start first, as they take longest, so that no lane ends with one of them; the others in vitest's order: slow ones first, where it has seen them, else big ones. */
export default class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const { opensBrowser } = readProjects(root);
    const sorted = await super.sort(specifications);
    const withBrowser = new Set(sorted.filter(({ moduleId }) => opensBrowser(relative(root, moduleId).split(sep).join('/'))));
    return [...withBrowser, ...sorted.filter((specification) => !withBrowser.has(specification))];
  }
}
