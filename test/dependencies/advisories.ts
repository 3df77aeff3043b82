import { z } from 'zod';

/**
 * As `npm audit --json` tells it: per package, the advisories about it, or the names of those through which they reach
 * it.
 */
const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.string(),
      via: z.array(z.union([z.string(), z.object({ url: z.string(), title: z.string(), severity: z.string() })])),
    }),
  ),
});

/** An advisory that is known and lived with. */
const exception = z.strictObject({
  package: z.string(),
  advisory: z.url(),
  /** Why it does no harm here. */
  why: z.string().min(20),
  /** From this day on it is to be thought about again. */
  until: z.iso.date(),
});
export const exceptions = z.array(exception);
type Exception = z.infer<typeof exception>;

/**
 * `undefined`: the registry answers no audits. An exception that holds no longer is a finding as well.
 * @param today ISO date
 */
export function judgeAudit(output: string, known: readonly Exception[], today: string): string[] | undefined {
  const parsed = report.safeParse(parse(output));
  if (!parsed.success) return undefined;
  const open = Object.entries(parsed.data.vulnerabilities).flatMap(([name, { via }]) =>
    via.filter((cause) => typeof cause === 'object').map((cause) => ({ name, ...cause })),
  );
  const isKnown = ({ name, url }: { name: string; url: string }) =>
    known.some((entry) => entry.package === name && entry.advisory === url && today < entry.until);
  return [
    ...open
      .filter((advisory) => !isKnown(advisory))
      .map(({ name, severity, title, url }) => `${name}: ${severity}, ${title} (${url})`),
    ...known
      .filter((entry) => !open.some(({ name, url }) => entry.package === name && entry.advisory === url))
      .map((entry) => `${entry.package}: the exception for ${entry.advisory} is not needed any more`),
  ];
}

function parse(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}
