import { useState } from 'preact/hooks';
import type { RestoreCheck, SystemAnswer } from '../state/responses.ts';
import { useApp, useRequest, useVerb } from '../state/useApi.ts';
import { hashOf } from '../state/route.ts';
import { Refused } from '../components/awaited.tsx';
import { Button } from '../components/button.tsx';
import { Held } from '../components/held.tsx';
import { Differing } from '../components/differing.tsx';
import { countText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';

const REFRESH_MS = 8_000;

const WORDS = bilingual(
  {
    title: 'Redis and the database',
    sides: {
      ledger:
        'The database is an older state than Redis: it came back from a backup, or a standby without the last transactions has taken over.',
      redis: 'Redis is an older state than the database: it came back from a backup, or has lost writes.',
      foreign: 'Redis was used with another database: check REDIS_URL and DATABASE_URL.',
    },
    sameTime: 'Both are of the same time.',
    notCompared:
      'Redis was restarted, and no worker has compared it with the database since. Start a worker: gateways that start answer "busy" until then.',
    lost: 'Redis has lost rains that were loaded:',
    notKnown: 'Not known: one of them does not answer.',
    steps: 'What to do',
    stepList: [
      ['Keep the gateways running: they remember what they told. Stop the workers.'],
      ['If a later state of the older store exists, bring it back.'],
      ['See what would be done, then have done what is safe:', 'rain restore apply --dry-run', 'rain restore apply'],
      ['Compare again; each line says what is left to do. Then start the workers.'],
      ['Continue the rains that were paused:', 'rain resume RAIN'],
    ] as string[][],
    compare: 'Compare now',
    told: 'Compares all claims, packets, credits and orders of every rain and sale that is not settled. It changes nothing.',
    agree: (n: string) => `Both agree. Rains and sales compared: ${n}.`,
    differ: (n: string) => `They do NOT agree. Rains and sales that differ: ${n}.`,
    more: 'More of them differ; for all of them:',
    notice: 'Redis and the database do not agree',
    look: 'See what differs, and what to do',
  },
  {
    title: 'Redis 与数据库',
    sides: {
      ledger: '数据库比 Redis 更早：它来自备份，或由缺少最后事务的备机接管。',
      redis: 'Redis 比数据库更早：它来自备份，或丢失了写入。',
      foreign: '这个 Redis 曾与另一个数据库一起使用：请检查 REDIS_URL 和 DATABASE_URL。',
    },
    sameTime: '两边处于同一时刻。',
    notCompared: 'Redis 重启后还没有工作进程比对过。请启动工作进程：在此之前，新启动的网关会回答“繁忙”。',
    lost: 'Redis 丢失了已装载的红包雨：',
    notKnown: '未知：其中一个没有回应。',
    steps: '处理办法',
    stepList: [
      ['保持网关运行：它们记得告知过的结果。停止工作进程。'],
      ['如果较早的一边还有更晚的备份，先恢复它。'],
      ['先看将会做什么，再执行安全的部分：', 'rain restore apply --dry-run', 'rain restore apply'],
      ['再次比对，每一项都写明剩下的步骤。然后启动工作进程。'],
      ['继续被暂停的红包雨：', 'rain resume RAIN'],
    ],
    compare: '立即比对',
    told: '比对所有未结算场次的领取、红包、入账和订单，不作任何更改。',
    agree: (n) => `两边一致，共比对 ${n} 场。`,
    differ: (n) => `两边不一致！有差异的场次：${n}。`,
    more: '还有更多场次，全部差异请用：',
    notice: 'Redis 与数据库不一致',
    look: '查看差异和处理办法',
  },
);

const isInOrder = ({ stores, held, heldSales }: SystemAnswer) =>
  stores === null || (stores.behind.length === 0 && stores.lost.length === 0 && !held?.length && !heldSales?.length);

/** Whether both stores are of the same time, what to do if not, and a comparison on request. */
export function Stores({ system }: { system: SystemAnswer }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [found, setFound] = useState<RestoreCheck>();
  const { stores, held, heldSales } = system;
  const compare = async () => {
    setFound(undefined);
    const checked = await verb.run(() => api.get<RestoreCheck>('restore/check'));
    if (checked) setFound(checked.done);
  };
  return (
    <section class="card between" aria-labelledby="stores" data-testid="stores">
      <div class="row">
        <h2 id="stores">{words.title}</h2>
        <Button pending={verb.pending} onClick={() => void compare()} testId="compare-stores">
          {words.compare}
        </Button>
      </div>
      {stores === null && <p>{words.notKnown}</p>}
      {stores && isInOrder(system) && <p>{stores.compared ? words.sameTime : words.notCompared}</p>}
      {stores && (stores.behind.length > 0 || stores.lost.length > 0) && (
        <div class="findings" role="alert" data-testid="behind">
          {stores.behind.map((side) => (
            <p key={side}>
              <b>{words.sides[side]}</b>
            </p>
          ))}
          {stores.lost.length > 0 && (
            <>
              <p>
                <b>{words.lost}</b>
              </p>
              <ul>
                {stores.lost.map((rainId) => (
                  <li key={rainId}>
                    <a href={hashOf({ screen: 'rain', rainId })}>{rainId}</a>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
      <Held what="rain" held={(held ?? []).map(({ rainId: id, reason }) => ({ id, reason }))} />
      <Held what="sale" held={(heldSales ?? []).map(({ saleId: id, reason }) => ({ id, reason }))} />
      {(!isInOrder(system) || found?.agree === false) && <Steps />}
      <p class="hint">{words.told}</p>
      <Refused refusal={verb.refusal} />
      {found && (
        <div class={found.agree ? 'verdict good' : 'verdict bad'} role="status" data-testid="compared">
          <b>
            {found.agree
              ? `✓ ${words.agree(countText(found.compared))}`
              : `✗ ${words.differ(countText(found.rains.length))}`}
          </b>
          {!found.complete && (
            <p>
              {words.more} <code>rain restore check</code>
            </p>
          )}
        </div>
      )}
      {found?.rains.map((rain) => (
        <Differing key={rain.rainId} rain={rain} />
      ))}
    </section>
  );
}

function Steps() {
  const { words } = useWords(WORDS);
  return (
    <>
      <h3>{words.steps}</h3>
      <ol class="steps">
        {words.stepList.map(([text, ...commands]) => (
          <li key={text}>
            {text}
            {commands.map((command) => (
              <code key={command}>{command}</code>
            ))}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Above the list of rains, while the stores differ: a link to what to do. */
export function StoresNotice() {
  const { words } = useWords(WORDS);
  const system = useRequest<SystemAnswer>('system', REFRESH_MS).value;
  if (!system || isInOrder(system)) return null;
  return (
    <div class="findings notice" role="alert" data-testid="stores-notice">
      <p>
        <b>{words.notice}</b>
      </p>
      {system.stores?.behind.map((side) => (
        <p key={side}>{words.sides[side]}</p>
      ))}
      <p>
        <a href={hashOf({ screen: 'system' })}>{words.look}</a>
      </p>
    </div>
  );
}
