import { useState } from 'preact/hooks';
import type { PersonalData } from '../state/responses.ts';
import { useApp, useVerb } from '../state/useApi.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Empty, Refused } from '../components/awaited.tsx';
import { Field } from '../components/field.tsx';
import { amountTyped, currencyText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { refusalsFor } from './create/draft.ts';

const WORDS = bilingual(
  {
    title: 'Personal data',
    told: 'What is kept about one user, as JSON. Each export and each erasure is in the audit log.',
    viewer: 'Only operators may see it',
    user: 'User',
    hint: "The sub of the user's token.",
    show: 'Export',
    erase: 'Erase',
    eraseTitle: (id: string) => `Erase ${id}?`,
    eraseTold: 'A pseudonym takes the place of the id, everywhere and for ever. Sums and proofs stay as they are.',
    balance: 'Balance',
    balanceHint: 'What the wallet of the user holds: nobody can ask for it afterwards.',
    partial: 'There are more rows than an export has.',
    save: 'Save',
    done: (rows: number) => (rows === 0 ? 'Nothing is kept about a user of this id.' : `Erased: ${rows} rows.`),
  },
  {
    title: '个人数据',
    told: '系统保存的某位用户的全部数据（JSON）。每次导出与抹除都记入操作日志。',
    viewer: '只有操作员可以查看',
    user: '用户',
    hint: '即令牌中的 sub。',
    show: '导出',
    erase: '抹除',
    eraseTitle: (id) => `抹除 ${id}？`,
    eraseTold: '各处的 ID 将永久替换为随机化名；各项合计与证明不变。',
    balance: '余额',
    balanceHint: '该用户钱包中的金额：抹除后无人可取。',
    partial: '数据行数超过一次导出的上限。',
    save: '保存',
    done: (rows) => (rows === 0 ? '没有该 ID 的任何数据。' : `已抹除：${rows} 行。`),
  },
);

export function Users() {
  const { words } = useWords(WORDS);
  const { api, mayAct } = useApp();
  const verb = useVerb();
  const [id, setId] = useState('');
  const [data, setData] = useState<PersonalData>();
  const [erasing, setErasing] = useState<string>();
  const [erased, setErased] = useState<number>();
  const show = async () => {
    setErased(undefined);
    const answered = await verb.run(() => api.post<{ data: PersonalData }>('users/export', { id }));
    if (answered) setData(answered.done.data);
  };
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
      </header>
      {!mayAct ? (
        <Empty title={words.viewer} calm />
      ) : (
        <form
          class="card inline user"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void show();
          }}
        >
          <Field
            label={words.user}
            value={id}
            onInput={setId}
            hint={words.hint}
            refusals={refusalsFor(verb.refusals, 'id')}
            testId="user-id"
          />
          <Button type="submit" variant="main" pending={verb.pending} testId="user-export">
            {words.show}
          </Button>
          <Button variant="danger" onClick={() => setErasing(id)} disabled={id === ''} testId="user-erase">
            {words.erase}
          </Button>
          {verb.refusals.length === 0 && <Refused refusal={verb.refusal} />}
        </form>
      )}
      {erased !== undefined && <p role="status">{words.done(erased)}</p>}
      {data && (
        <section class="card">
          {!data.complete && <p>{words.partial}</p>}
          <p>
            <a href={`data:application/json,${encodeURIComponent(JSON.stringify(data))}`} download="user.json">
              {words.save}
            </a>
          </p>
          <pre data-testid="user-data">{JSON.stringify(data, null, 2)}</pre>
        </section>
      )}
      {erasing !== undefined && (
        <Erase
          id={erasing}
          onDone={(rows) => {
            setErased(rows);
            setData(undefined);
          }}
          onClose={() => setErasing(undefined)}
        />
      )}
    </>
  );
}

function Erase({ id, onDone, onClose }: { id: string; onDone: (rows: number) => void; onClose: () => void }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [balance, setBalance] = useState('');
  const erase = () =>
    api.post<{ rows: number }>('users/erase', { id, ...(balance.trim() !== '' && { balance: amountTyped(balance) }) });
  return (
    <Dialog
      title={words.eraseTitle(id)}
      act={words.erase}
      variant="danger"
      verb={verb}
      onAct={erase}
      staysOpen={({ rows }) => {
        onDone(rows);
        return false;
      }}
      onClose={onClose}
    >
      <p>{words.eraseTold}</p>
      <Field
        label={words.balance}
        unit={currencyText()}
        inputMode="decimal"
        value={balance}
        onInput={setBalance}
        hint={words.balanceHint}
        refusals={refusalsFor(verb.refusals, 'balance')}
        testId="user-balance"
      />
    </Dialog>
  );
}
