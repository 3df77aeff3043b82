import type { ComponentChildren } from 'preact';
import { hashOf } from '../state/route.ts';
import { playerAddress } from '../state/playerPage.ts';
import { useApp } from '../state/useApi.ts';
import { bilingual, useWords } from '../words/language.ts';

const WORDS = bilingual(
  {
    title: 'The first evening, in this order',
    list: 'Import the list of participants',
    listTold: 'Then print a card for each person: nobody comes in without a code.',
    toList: 'Participants',
    page: "Look at the player's page",
    pageTold: 'Every guest sees it on the phone. Leave it open beside the console.',
    openPage: 'Open the page',
    hall: 'Look at the screen of the hall',
    hallTold: 'For the projector: the QR code of the page, the countdown, the rain, and the luckiest.',
    openHall: 'Open the screen',
    rehearse: 'Rehearse',
    rehearseTold: "A rehearsal runs like a real rain, with test money. Win a packet on the player's page.",
    toRehearsal: 'Prepare a rehearsal',
    create: 'Create the first rain',
    createTold: 'With the real budget. Before anything happens, a review says what money moves.',
    toCreate: 'Create the first rain',
  },
  {
    title: '第一次使用，请按此顺序',
    list: '导入参与者名单',
    listTold: '再为每人打印一张卡片：没有验证码无法进入。',
    toList: '参与者名单',
    page: '看看玩家页面',
    pageTold: '每位来宾在手机上看到的就是它。请在控制台旁边一直开着。',
    openPage: '打开页面',
    hall: '看看现场大屏',
    hallTold: '用于投影：页面的二维码、倒计时、红包雨和手气最佳。',
    openHall: '打开大屏',
    rehearse: '彩排',
    rehearseTold: '彩排的流程与正式一致，用的是测试资金。请在玩家页面抢一个红包。',
    toRehearsal: '准备彩排',
    create: '创建第一场',
    createTold: '使用真实预算。执行之前会先列出要动的钱，供您核对。',
    toCreate: '创建第一场',
  },
);

/** The first steps on a console without rains, in their order. */
export function Guide() {
  const { words } = useWords(WORDS);
  const { session } = useApp();
  const page = (path: string, testId: string, text: string) => (
    <a class="button" href={playerAddress(session, path).href} target="_blank" rel="noopener" data-testid={testId}>
      {text} ↗
    </a>
  );
  return (
    <section aria-labelledby="guide" data-testid="guide">
      <h2 id="guide">{words.title}</h2>
      <ol class="guide">
        {session.participants && (
          <Step name={words.list} told={words.listTold}>
            <a class="button" href={hashOf({ screen: 'participants' })} data-testid="guide-list">
              {words.toList}
            </a>
          </Step>
        )}
        <Step name={words.page} told={words.pageTold}>
          {page('', 'guide-page', words.openPage)}
        </Step>
        <Step name={words.hall} told={words.hallTold}>
          {page('hall', 'guide-hall', words.openHall)}
        </Step>
        <Step name={words.rehearse} told={words.rehearseTold}>
          <a class="button" href={hashOf({ screen: 'rehearse' })} data-testid="guide-rehearse">
            {words.toRehearsal}
          </a>
        </Step>
        <Step name={words.create} told={words.createTold}>
          <a class="button main" href={hashOf({ screen: 'create' })} data-testid="guide-create">
            {words.toCreate}
          </a>
        </Step>
      </ol>
    </section>
  );
}

function Step({ name, told, children }: { name: string; told: string; children: ComponentChildren }) {
  return (
    <li class="card">
      <div>
        <h3>{name}</h3>
        <p>{told}</p>
      </div>
      {children}
    </li>
  );
}
