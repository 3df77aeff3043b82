import { useEffect, useState } from 'preact/hooks';
import type { Refusal } from '../../state/request.ts';
import { useApp } from '../../state/useApi.ts';

/** More than anybody signs. */
export const ROWS_MAX = 2_000;
const PAGE = 500;

/** All rows of a list, or why there are none. */
export type All<Row> = { all: readonly Row[]; readAt: number } | { refusal: Refusal } | { tooMany: true };

interface Asked<Row> {
  path: string;
  /** The field of the rows in an answer. */
  field: string;
  idOf(row: Row): string;
  /** Read again when it changes, and not before it is known. */
  state: string | undefined;
}

/** Reads a whole list when the screen opens, when the state changes, and after a login; undefined while it is read. */
export function useAll<Row>({ path, field, idOf, state }: Asked<Row>): {
  list: All<Row> | undefined;
  again: () => void;
} {
  const { api, awake } = useApp();
  const [list, setList] = useState<All<Row>>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!awake || state === undefined) return undefined;
    const gone = new AbortController();
    const read = async (): Promise<All<Row> | undefined> => {
      const all = new Map<string, Row>();
      for (let cursor: string | undefined, isLast = false; !isLast;) {
        const page = await api.get<Record<string, Row[]> & { next?: string }>(
          `${path}?${new URLSearchParams({ limit: String(PAGE), ...(cursor !== undefined && { cursor }) }).toString()}`,
          gone.signal,
        );
        if (gone.signal.aborted) return undefined;
        if (!page.ok) return { refusal: page.refusal };
        for (const row of page.value[field]!) all.set(idOf(row), row);
        if (all.size > ROWS_MAX) return { tooMany: true };
        cursor = page.value.next;
        isLast = cursor === undefined;
      }
      return { all: [...all.values()], readAt: api.now() };
    };
    setList(undefined);
    void read().then((found) => {
      if (found && !gone.signal.aborted) setList(found);
    });
    return () => gone.abort();
  }, [api, path, awake, state, tries]);
  return { list, again: () => setTries((before) => before + 1) };
}
