import { hashOf } from '../state/route.ts';
import { bilingual, useWords } from '../words/language.ts';

const WORDS = bilingual(
  {
    title: { rain: 'Held: nothing is granted', sale: 'Held: nothing is sold' },
    whyOf: {
      rain: {
        unknown_to_ledger: 'The database is an older state: it does not know this rain.',
        ledger_behind: 'The database is an older state: it lacks packets that Redis has.',
        redis_behind: 'Redis is an older state: claims that the database has credited are being put back.',
      } as Record<string, string>,
      sale: {
        unknown_to_ledger: 'The database is an older state: it does not know this sale.',
        ledger_behind: 'The database is an older state: Redis has later orders, or later statuses of them.',
      } as Record<string, string>,
    },
    otherwise: 'Redis and the database do not agree.',
    whatToDo: 'See what differs, and what to do',
  },
  {
    title: { rain: '已冻结：暂停发放', sale: '已冻结：暂停销售' },
    whyOf: {
      rain: {
        unknown_to_ledger: '数据库是较早的状态：其中没有这场红包雨。',
        ledger_behind: '数据库是较早的状态：缺少 Redis 中的红包。',
        redis_behind: 'Redis 是较早的状态：正在写回数据库已入账的领取记录。',
      },
      sale: {
        unknown_to_ledger: '数据库是较早的状态：其中没有这场秒杀。',
        ledger_behind: '数据库是较早的状态：Redis 中有更晚的订单或订单状态。',
      },
    },
    otherwise: 'Redis 与数据库不一致。',
    whatToDo: '查看差异和处理办法',
  },
);

/** A list of the rains or sales that give nothing out, as one store is older than the other; nothing if none do. */
export function Held({
  what,
  held,
  named = true,
  otherwise,
}: {
  what: 'rain' | 'sale';
  held: readonly { id: string; reason: string }[];
  named?: boolean;
  /** Said of a reason that is none of ours. */
  otherwise?: string;
}) {
  const { words } = useWords(WORDS);
  if (held.length === 0) return null;
  return (
    <div class="findings" role="alert" data-testid="held">
      {named ? <h3>{words.title[what]}</h3> : <h2>{words.title[what]}</h2>}
      <ul>
        {held.map(({ id, reason }) => (
          <li key={id}>
            {named && <a href={hashOfEither(what, id)}>{id}</a>}{' '}
            {words.whyOf[what][reason] ?? otherwise ?? words.otherwise}
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

/** The screen of a rain or sale. */
export function hashOfEither(what: 'rain' | 'sale', id: string): string {
  return hashOf(what === 'rain' ? { screen: 'rain', rainId: id } : { screen: 'sale', saleId: id });
}
