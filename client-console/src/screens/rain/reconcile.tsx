import { useState } from 'preact/hooks';
import type { RainDetail, Reconciliation } from '../../state/responses.ts';
import { saveFile } from '../../state/saveFile.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Refused } from '../../components/awaited.tsx';
import { Table } from '../../components/table.tsx';
import { countText, moneyText } from '../../words/figures.ts';
import { bilingual, useWords } from '../../words/language.ts';

type Result = keyof Reconciliation['counts'];
const RESULTS: readonly Result[] = ['both', 'wallet_only', 'book_only', 'amount_differs', 'user_differs', 'paid_twice'];
/** Differences shown; the CSV has all. */
const SHOWN_MAX = 20;

const WORDS = bilingual(
  {
    title: "The wallet's statement",
    told: "Choose the wallet's statement as CSV, with the columns id, amount and time. It is compared with the credits of this rain. Nothing changes.",
    file: 'Statement (CSV)',
    compare: 'Compare',
    csv: 'Download differences',
    agree: 'The wallet and the book agree on every payment.',
    differ: 'The wallet and the book do NOT agree.',
    others: (n: string) => `${n} payments for other rains were not compared.`,
    sums: (paid: string, booked: string) => `The wallet paid ${paid}, the book credited ${booked}.`,
    results: {
      both: 'Paid by both',
      wallet_only: 'Only by the wallet',
      book_only: 'Only in the book',
      amount_differs: 'Amount differs',
      user_differs: 'User differs',
      paid_twice: 'Paid twice',
    } satisfies Record<Result, string>,
    differences: 'Differences',
    line: 'Line',
    claim: 'Claim id',
    user: 'User',
    paid: 'Wallet',
    booked: 'Book',
    result: 'Result',
    more: (n: number) => `The first ${n}. Download all of them as CSV.`,
  },
  {
    title: '钱包对账单',
    told: '请选择钱包的 CSV 对账单，须含 id、amount、time 三列。它会与本场的入账逐笔比对，不作任何更改。',
    file: '对账单（CSV）',
    compare: '对账',
    csv: '下载差异',
    agree: '钱包与账本每一笔都一致。',
    differ: '钱包与账本不一致！',
    others: (n) => `另有 ${n} 笔属于其他场次，未比对。`,
    sums: (paid, booked) => `钱包支付 ${paid}，账本入账 ${booked}。`,
    results: {
      both: '两边一致',
      wallet_only: '仅钱包支付',
      book_only: '仅账本入账',
      amount_differs: '金额不符',
      user_differs: '用户不符',
      paid_twice: '重复支付',
    },
    differences: '差异',
    line: '行',
    claim: '领取编号',
    user: '用户',
    paid: '钱包',
    booked: '账本',
    result: '结果',
    more: (n) => `仅显示前 ${n} 条，全部差异请下载 CSV。`,
  },
);

/** Compares a rain that an external wallet pays with that wallet's statement. */
export function Reconcile({ rain: { rainId } }: { rain: RainDetail }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [file, setFile] = useState<Blob>();
  const [found, setFound] = useState<Reconciliation>();
  const path = `rains/${encodeURIComponent(rainId)}/reconcile`;
  const compare = async (statement: Blob) => {
    setFound(undefined);
    const compared = await verb.run(() => api.post<Reconciliation>(path, statement));
    if (compared) setFound(compared.done);
  };
  const download = async (statement: Blob) => {
    const sheet = await verb.run(() => api.post<Blob>(`${path}.csv`, statement));
    if (sheet) saveFile(sheet.done, `reconciliation-${rainId}.csv`);
  };
  return (
    <section class="card" aria-labelledby="reconcile">
      <div class="row">
        <h2 id="reconcile">{words.title}</h2>
        {file && (
          <Button pending={verb.pending} onClick={() => void compare(file)} testId="reconcile">
            {words.compare}
          </Button>
        )}
      </div>
      <p class="hint">{words.told}</p>
      <label class="row">
        {words.file}{' '}
        <input
          type="file"
          accept=".csv,text/csv"
          data-testid="statement"
          onChange={(event) => {
            setFile(event.currentTarget.files?.[0]);
            setFound(undefined);
            verb.forget();
          }}
        />
      </label>
      <Refused refusal={verb.refusal} />
      {found && file && (
        <div class={found.agree ? 'verdict good' : 'verdict bad'} role="status" data-testid="reconciled">
          <b>{found.agree ? `✓ ${words.agree}` : `✗ ${words.differ}`}</b>
          <p>
            {words.sums(moneyText(found.paid), moneyText(found.booked))}{' '}
            {found.others > 0 && words.others(countText(found.others))}
          </p>
          <ul>
            {RESULTS.filter((result) => found.counts[result] > 0).map((result) => (
              <li key={result}>
                {words.results[result]}: {countText(found.counts[result])}
              </li>
            ))}
          </ul>
          {!found.agree && (
            <Button pending={verb.pending} onClick={() => void download(file)} testId="reconciled-csv">
              {words.csv}
            </Button>
          )}
        </div>
      )}
      {found && !found.agree && <Differences found={found} />}
    </section>
  );
}

function Differences({ found: { differences, complete } }: { found: Reconciliation }) {
  const { words } = useWords(WORDS);
  const shown = differences.slice(0, SHOWN_MAX);
  return (
    <>
      <Table label={words.differences}>
        <thead>
          <tr>
            <th>{words.result}</th>
            <th class="number">{words.line}</th>
            <th>{words.claim}</th>
            <th>{words.user}</th>
            <th class="number">{words.paid}</th>
            <th class="number">{words.booked}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ result, line, id, userId, paid, booked }, i) => (
            <tr key={`${id} ${i}`} data-testid="difference">
              <th scope="row">{words.results[result]}</th>
              <td class="number">{line}</td>
              <td>
                <code>{id}</code>
              </td>
              <td>{userId}</td>
              <td class="number">{paid && moneyText(paid)}</td>
              <td class="number">{booked && moneyText(booked)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {(!complete || differences.length > shown.length) && <p class="hint">{words.more(shown.length)}</p>}
    </>
  );
}
