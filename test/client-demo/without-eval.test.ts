import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.unstubAllGlobals());

test("the verifier never tries to compile code, which the page's content security policy forbids and reports", async () => {
  let compiled = 0;
  vi.stubGlobal(
    'Function',
    class {
      constructor() {
        compiled++;
      }
    },
  );
  // Schemas that another file of this process has created may compile code: zod decides when a schema is created.
  vi.resetModules();
  const { prove } = await import('../../client-demo/src/proof.ts');
  expect(
    prove({
      rainId: 'r',
      commitment: '',
      inTime: true,
      seed: 'ab'.repeat(32),
      plan: { budget: '1.00', packets: 1 },
      shards: 1,
    }),
  ).toBe('broken');
  expect(compiled).toBe(0);
});
