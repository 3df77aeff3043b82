import type { Action, RainState } from '../../state/responses.ts';
import { useRequest } from '../../state/useApi.ts';
import { bilingual, useWords } from '../../words/language.ts';

const REFRESH_MS = 8_000;
/** The pause is among the latest actions of a paused rain. */
const ACTIONS = 20;

const WORDS = bilingual(
  {
    title: 'Paused by the audit: somebody has changed data by hand, in Redis or in the database',
    told: 'Nobody gets anything until you resume it. Check the findings first; it is not paused again for the same ones.',
  },
  {
    title: '系统核对时自动暂停：有人在 Redis 或数据库中手工改动了数据',
    told: '继续之前不会再有人抢到。请先查看核对结果；同样的问题不会再次触发暂停。',
  },
);

/** Why the audit has paused this rain or sale; nothing for any other pause. */
export function PauseReason({ id, state }: { id: string; state: RainState }) {
  const { words } = useWords(WORDS);
  const request = useRequest<{ actions: Action[] }>(
    state === 'paused' ? `actions?rainId=${encodeURIComponent(id)}&limit=${ACTIONS}` : undefined,
    REFRESH_MS,
  );
  const latest = request.value?.actions.find(({ verb }) => verb === 'pause' || verb === 'resume');
  const reason = latest?.verb === 'pause' ? latest.details['reason'] : undefined;
  if (typeof reason !== 'string') return null;
  return (
    <div class="findings" role="alert" data-testid="pause-reason">
      <p>
        <b>{words.title}</b>
      </p>
      <p>{reason}</p>
      <p>{words.told}</p>
    </div>
  );
}
