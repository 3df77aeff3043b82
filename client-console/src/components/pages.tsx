import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FieldRefusal } from '../state/responses.ts';
import { useApp, useRequest, useVerb } from '../state/useApi.ts';
import { useLanguage } from '../words/language.ts';
import { Button } from './button.tsx';
import { Awaited, Refused } from './awaited.tsx';

type Page<T> = Record<string, T[]> & { next?: string };

interface PagesProps<T> {
  path: string;
  query?: Record<string, string>;
  /** The field of the answer that holds the rows. */
  field: string;
  everyMs?: number;
  /** When it changes, the list reloads from the first page. */
  reloads?: number;
  empty: ComponentChildren;
  /** Gets what is wrong with `query`, and shows it beside the fields; absent: it is shown above the list. */
  onRefusals?: (refusals: readonly FieldRefusal[]) => void;
  children: (rows: readonly T[]) => ComponentChildren;
}

/** A paginated list. It refreshes itself only while just the first page is open, so that rows do not jump. */
export function Pages<T>({
  path,
  query = {},
  field,
  everyMs,
  reloads = 0,
  empty,
  onRefusals,
  children,
}: PagesProps<T>) {
  const { shared } = useLanguage();
  const { api } = useApp();
  const verb = useVerb();
  const address = (cursor?: string) => {
    const search = new URLSearchParams({ ...query, ...(cursor !== undefined && { cursor }) }).toString();
    return search === '' ? path : `${path}?${search}`;
  };
  const key = address();
  const [more, setMore] = useState<{ key: string; rows: readonly T[]; next: string | undefined }>();
  const opened = more?.key === key ? more : undefined;
  const first = useRequest<Page<T>>(key, opened ? undefined : everyMs);
  useEffect(() => onRefusals?.(first.refusal?.refusals ?? []), [first.refusal]);
  useEffect(() => {
    if (reloads === 0) return;
    setMore(undefined);
    first.again();
  }, [reloads]);
  const load = async (next: string) => {
    const page = await verb.run(() => api.get<Page<T>>(address(next)));
    if (page) setMore({ key, rows: [...(opened?.rows ?? []), ...(page.done[field] ?? [])], next: page.done.next });
  };
  return (
    <Awaited
      request={
        onRefusals && first.refusal && first.refusal.refusals.length > 0
          ? { waiting: false, again: first.again }
          : first
      }
    >
      {(page) => {
        const rows = [...(page[field] ?? []), ...(opened?.rows ?? [])];
        const next = opened ? opened.next : page.next;
        return (
          <>
            {rows.length === 0 ? empty : children(rows)}
            <Refused refusal={verb.refusal} />
            {next !== undefined && (
              <p class="more">
                <Button pending={verb.pending} onClick={() => void load(next)} testId="more">
                  {shared.more}
                </Button>
              </p>
            )}
          </>
        );
      }}
    </Awaited>
  );
}
