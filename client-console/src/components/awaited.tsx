import type { ComponentChildren } from 'preact';
import { isAway } from '../state/awayWatch.ts';
import type { Refusal } from '../state/request.ts';
import type { FieldRefusal } from '../state/responses.ts';
import type { RequestState } from '../state/useApi.ts';
import { useLanguage } from '../words/language.ts';
import { reasonIn } from '../words/refusals.ts';
import { Button } from './button.tsx';

/** The requested value, a loading text, or the refusal. */
export function Awaited<T>({
  request,
  children,
}: {
  request: RequestState<T>;
  children: (value: T) => ComponentChildren;
}) {
  const { shared } = useLanguage();
  return (
    <>
      <Refused refusal={request.refusal} again={request.again} />
      {request.waiting && (
        <p class="awaited" role="status">
          {shared.loading}
        </p>
      )}
      {request.value !== undefined && children(request.value)}
    </>
  );
}

/**
 * The reason of a refusal, with the names of the fields.
 * @param again the request is one that the page repeats: that the server is away stands above the page
 * @param beside fields whose refusals stand beside them
 */
export function Refused({
  refusal,
  again,
  beside = [],
}: {
  refusal: Refusal | undefined;
  again?: () => void;
  beside?: readonly string[];
}) {
  const { shared } = useLanguage();
  if (!refusal || refusal.code === 'aborted' || (again && isAway(refusal))) return null;
  const { code, reason } = refusal;
  const refusals = refusal.refusals.filter(({ field }) => !beside.includes(field));
  if (refusals.length === 0 && refusal.refusals.length > 0) return null;
  if (code === 'needs_approval') return <Waits refusals={refusals} />;
  const sentences: Partial<Record<string, string>> = {
    unreachable: shared.unreachable,
    not_allowed: shared.forbidden,
    too_many: shared.tooMany,
    internal: shared.broken,
  };
  return (
    <div class="refused-box" role="alert" data-code={code}>
      {refusals.length === 0 ? (
        <p>{sentences[code] ?? reason}</p>
      ) : (
        <ul>
          <FieldReasons refusals={refusals} />
        </ul>
      )}
      {again && <Button onClick={again}>{shared.again}</Button>}
    </div>
  );
}

/** Nothing is wrong: another operator has to agree. */
function Waits({ refusals }: Pick<Refusal, 'refusals'>) {
  const { shared, language } = useLanguage();
  return (
    <div class="refused-box waits" role="status" data-code="needs_approval">
      <p>{refusals.map(({ reason }) => reasonIn(language, reason)).join(' ')}</p>
      <p>
        <a href="#/approvals">{shared.approvals}</a>
      </p>
    </div>
  );
}

/** A list item for each faulty field. */
function FieldReasons({ refusals }: { refusals: readonly FieldRefusal[] }) {
  const { language } = useLanguage();
  return (
    <>
      {refusals.map(({ field, reason }) => (
        <li key={field + reason}>
          <code>{field}</code> {reasonIn(language, reason)}
        </li>
      ))}
    </>
  );
}

/** Explains an empty list and how to fill it. `whole`: nothing else is on the screen. */
export function Empty({
  title,
  children,
  calm = false,
  whole = false,
}: {
  title: string;
  children?: ComponentChildren;
  calm?: boolean;
  whole?: boolean;
}) {
  return (
    <div class="empty">
      <svg class={calm ? 'envelope calm' : 'envelope'} viewBox="0 0 32 32" aria-hidden="true">
        <rect x="6" y="2" width="20" height="28" rx="3" />
        <path d="M6 5v6q10 7 20 0V5a3 3 0 0 0-3-3H9a3 3 0 0 0-3 3z" />
        <circle cx="16" cy="15" r="4.5" />
      </svg>
      {whole ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}
