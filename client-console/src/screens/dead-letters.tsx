import { useState } from 'preact/hooks';
import type { Letter } from '../state/responses.ts';
import { useApp, useVerb } from '../state/useApi.ts';
import { hashOf } from '../state/route.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Field, Toggle } from '../components/field.tsx';
import { Pages } from '../components/pages.tsx';
import { DeadHead, NoDeadLetters } from './order-letters/dead-head.tsx';
import { adviceOf } from './order-letters/words.ts';
import { momentText, moneyText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { refusalsFor } from './create/draft.ts';

const REFRESH_MS = 10_000;

const WORDS = bilingual(
  {
    told: 'Wins that could not be credited and wait for an operator. Their money has not moved.',
    noneTold:
      'Every win has been credited or is on its way. A win that cannot be credited appears here with the reason.',
    requeue: 'Requeue',
    discard: 'Discard',
    rain: 'Rain',
    requeueTitle: 'Requeue this dead letter?',
    requeueTold: (who: string, money: string) =>
      `${who} is credited with ${money} if the cause is fixed. The win is credited only once, however often you requeue it.`,
    discardTitle: 'Discard this dead letter?',
    discardTold: (money: string) =>
      `${money} goes back to the operator account, and this rain does not credit the user. If the user was told of the win, compensate the user first.`,
    discardFalseTold:
      'No money moves: the plan of the rain has no such claim. The packet that it names, if there is one, stays as it is.',
    why: 'Why',
    whyHint: 'It is recorded in the audit log.',
    notPaid: 'The wallet has certainly not paid it',
    notPaidHint:
      'The wallet was asked to pay it. Check the wallet first: if it has paid, the user keeps that money, and the same money is spent twice.',
    unsigned: 'not signed',
    someone: 'The user',
    something: 'The amount',
  },
  {
    told: '无法入账、等待人工处理的中奖。资金没有移动。',
    noneTold: '所有中奖都已入账或正在入账。若有无法入账的，会带着原因留在这里。',
    requeue: '重新处理',
    discard: '作废',
    rain: '红包雨',
    requeueTitle: '把这条异常记录重新处理？',
    requeueTold: (who, money) => `若原因已排除，将为 ${who} 入账 ${money}；无论重新处理多少次都只入账一次。`,
    discardTitle: '作废这条异常记录？',
    discardTold: (money) => `${money} 退回操作员账户，本场不再为该用户入账。若已告知用户中奖，请先补偿。`,
    discardFalseTold: '不会移动资金：本场的计划里没有这一笔领取。它提到的红包（如果存在）保持原样。',
    why: '原因',
    whyHint: '会写入操作日志。',
    notPaid: '已确认外部钱包没有支付',
    notPaidHint: '外部钱包收到过支付请求。请先到那边核实：若其实已支付，这样做会让同一笔钱付出两次。',
    unsigned: '未签名',
    someone: '该用户',
    something: '该金额',
  },
);

/** Reasons of letters that hold no money: the entry is no claim of this rain, or not one that its plan holds. */
const WITHOUT_MONEY: readonly string[] = ['malformed', 'wrong_rain', 'not_in_plan'];

interface Asking {
  verb: 'requeue' | 'discard';
  letter: Letter;
}

export function Dead() {
  const { words } = useWords(WORDS);
  const [asking, setAsking] = useState<Asking>();
  const [reloads, setReloads] = useState(0);
  return (
    <>
      <DeadHead tab="dead" told={words.told} changes={reloads} />
      <Pages<Letter>
        path="dead"
        field="letters"
        everyMs={REFRESH_MS}
        reloads={reloads}
        empty={<NoDeadLetters tab="dead" told={words.noneTold} />}
      >
        {(letters) => (
          <ul class="letters">
            {letters.map((letter) => (
              <DeadLetterCard key={letter.letterId} letter={letter} onAsk={setAsking} />
            ))}
          </ul>
        )}
      </Pages>
      {asking && (
        <LetterDialog
          {...asking}
          onClose={() => {
            setAsking(undefined);
            setReloads(reloads + 1);
          }}
        />
      )}
    </>
  );
}

function DeadLetterCard({ letter, onAsk }: { letter: Letter; onAsk: (asking: Asking) => void }) {
  const { words, language } = useWords(WORDS);
  const { mayAct } = useApp();
  const { letterId, rainId, userId, amount, reason, detail, at, unsigned } = letter;
  return (
    <li class="card letter" data-testid="letter">
      <div class="row">
        <h2>
          {userId ?? letterId} {amount !== undefined && <b>{moneyText(amount)}</b>}
        </h2>
        <span class="chip" data-status="dead">
          {reason}
          {unsigned && `, ${words.unsigned}`}
        </span>
      </div>
      <p>
        {adviceOf(letter, language)} {detail}
      </p>
      <p class="hint">
        <a href={hashOf({ screen: 'rain', rainId })}>
          {words.rain} {rainId}
        </a>{' '}
        · {momentText(at, language)} · <code>{letterId}</code>
      </p>
      {mayAct && (
        <div class="acts">
          <Button variant="main" onClick={() => onAsk({ verb: 'requeue', letter })}>
            {words.requeue}
          </Button>
          <Button variant="danger" onClick={() => onAsk({ verb: 'discard', letter })}>
            {words.discard}
          </Button>
        </div>
      )}
    </li>
  );
}

function LetterDialog({ verb: name, letter, onClose }: Asking & { onClose: () => void }) {
  const { words, shared } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [reason, setReason] = useState('');
  const [notPaid, setNotPaid] = useState(false);
  // Shown only if the ledger says that a wallet may have paid.
  const [doubted, setDoubted] = useState(false);
  if (!doubted && refusalsFor(verb.refusals, 'notPaid').length > 0) setDoubted(true);
  const money = letter.amount === undefined ? words.something : moneyText(letter.amount);
  const discardTold = WITHOUT_MONEY.includes(letter.reason) ? words.discardFalseTold : words.discardTold(money);
  const act = () =>
    api.post(`dead/${encodeURIComponent(letter.letterId)}/${name}`, name === 'discard' ? { reason, notPaid } : {});
  return (
    <Dialog
      title={name === 'requeue' ? words.requeueTitle : words.discardTitle}
      act={words[name]}
      variant={name === 'discard' ? 'danger' : 'main'}
      verb={verb}
      onAct={act}
      onClose={onClose}
      disabled={name === 'discard' && (reason.trim() === '' || (doubted && !notPaid))}
    >
      <p>{name === 'requeue' ? words.requeueTold(letter.userId ?? words.someone, money) : discardTold}</p>
      {name === 'discard' && (
        <Field
          label={shared.reason}
          value={reason}
          onInput={setReason}
          hint={words.whyHint}
          refusals={refusalsFor(verb.refusals, 'reason')}
          testId="why-discarded"
        />
      )}
      {doubted && <Toggle label={words.notPaid} hint={words.notPaidHint} checked={notPaid} onChange={setNotPaid} />}
    </Dialog>
  );
}
