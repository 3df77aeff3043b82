import { hashOf } from '../state/route.ts';
import { bilingual, useWords } from '../words/language.ts';

const WORDS = bilingual(
  {
    title: 'Held: nothing is granted',
    whyOf: {
      unknown_to_ledger: 'The database is an older state: it does not know this rain.',
      ledger_behind: 'The database is an older state: it lacks packets that Redis has.',
      redis_behind: 'Redis is an older state: claims that the database has credited are being put back.',
    } as Record<string, string>,
    otherwise: 'Redis and the database do not agree.',
    whatToDo: 'See what differs, and what to do',
  },
  {
    title: '已冻结：暂停发放',
    whyOf: {
      unknown_to_ledger: '数据库是较早的状态：其中没有这场红包雨。',
      ledger_behind: '数据库是较早的状态：缺少 Redis 中的红包。',
      redis_behind: 'Redis 是较早的状态：正在写回数据库已入账的领取记录。',
    },
    otherwise: 'Redis 与数据库不一致。',
    whatToDo: '查看差异和处理办法',
  },
);

/** Rains in which nothing is granted, because one store is older than the other; nothing if there are none. */
export function HeldRains({
  held,
  named = true,
}: {
  held: readonly { rainId: string; reason: string }[];
  named?: boolean;
}) {
  const { words } = useWords(WORDS);
  if (held.length === 0) return null;
  return (
    <div class="findings" role="alert" data-testid="held">
      {named ? <h3>{words.title}</h3> : <h2>{words.title}</h2>}
      <ul>
        {held.map(({ rainId, reason }) => (
          <li key={rainId}>
            {named && <a href={hashOf({ screen: 'rain', rainId })}>{rainId}</a>}{' '}
            {words.whyOf[reason] ?? words.otherwise}
          </li>
        ))}
      </ul>
      {named || (
        <p>
          <a href={hashOf({ screen: 'system' })}>{words.whatToDo}</a>
        </p>
      )}
    </div>
  );
}
