import { useState } from 'preact/hooks';
import type { Block } from '../state/responses.ts';
import { useApp, useRequest, useVerb } from '../state/useApi.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Awaited, Empty, Refused } from '../components/awaited.tsx';
import { Choice, DurationChoice, Field, FOREVER } from '../components/field.tsx';
import { Table } from '../components/table.tsx';
import { momentText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { refusalsFor } from './create/draft.ts';

const REFRESH_MS = 10_000;

const WORDS = bilingual(
  {
    title: 'Blocked',
    told: 'A block reaches every gateway within a second. Earlier wins are still credited.',
    none: 'Nobody is blocked',
    noneTold: 'Here you can block a user or a whole network that cheats.',
    kind: 'Kind',
    kinds: { user: 'User', address: 'Address or network' },
    who: 'Who',
    userHint: "The sub of the user's token.",
    addressHint: '203.0.113.7, 203.0.113.0/24 or 2001:db8::/48',
    term: 'Duration',
    block: 'Block',
    lift: 'Unblock',
    liftTitle: (who: string) => `Unblock ${who}?`,
    liftTold: 'It takes effect on every gateway at once.',
    by: 'By',
    since: 'Since',
    until: 'Until',
    forever: 'until unblocked',
  },
  {
    title: '封禁名单',
    told: '一秒内在所有网关生效。此前抢到的照常入账。',
    none: '没有封禁任何人',
    noneTold: '作弊的用户或整个网段可以在这里拒之门外。',
    kind: '类型',
    kinds: { user: '用户', address: '地址或网段' },
    who: '对象',
    userHint: '即令牌中的 sub。',
    addressHint: '203.0.113.7、203.0.113.0/24 或 2001:db8::/48',
    term: '时长',
    block: '封禁',
    lift: '解封',
    liftTitle: (who) => `解封 ${who}？`,
    liftTold: '所有网关立即生效。',
    by: '操作者',
    since: '开始',
    until: '截止',
    forever: '直到解封',
  },
);

export function Blocks() {
  const { words, shared, language } = useWords(WORDS);
  const { mayAct } = useApp();
  const request = useRequest<{ blocks: Block[] }>('blocks', REFRESH_MS);
  const [lifting, setLifting] = useState<Block>();
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
      </header>
      {mayAct && <NewBlock onDone={request.again} />}
      <Awaited request={request}>
        {({ blocks }) =>
          blocks.length === 0 ? (
            <Empty title={words.none} calm>
              <p>{words.noneTold}</p>
            </Empty>
          ) : (
            <Table label={words.title} stacks>
              <thead>
                <tr>
                  <th>{words.who}</th>
                  <th>{words.kind}</th>
                  <th>{shared.reason}</th>
                  <th>{words.by}</th>
                  <th>{words.until}</th>
                  {mayAct && (
                    <th>
                      <span class="unseen">{words.lift}</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody>
                {blocks.map((block) => (
                  <tr key={`${block.kind} ${block.who}`} data-testid="block">
                    <th scope="row">{block.who}</th>
                    <td>{words.kinds[block.kind]}</td>
                    <td>{block.reason}</td>
                    <td>{block.actor}</td>
                    <td>{block.until === undefined ? words.forever : momentText(block.until, language)}</td>
                    {mayAct && (
                      <td>
                        <Button onClick={() => setLifting(block)}>{words.lift}</Button>
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </Table>
          )
        }
      </Awaited>
      {lifting && (
        <Lift
          block={lifting}
          onClose={() => {
            setLifting(undefined);
            request.again();
          }}
        />
      )}
    </>
  );
}

function NewBlock({ onDone }: { onDone: () => void }) {
  const { words, shared } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [kind, setKind] = useState<Block['kind']>('user');
  const [who, setWho] = useState('');
  const [reason, setReason] = useState('');
  const [term, setTerm] = useState(FOREVER);
  const block = async () => {
    const done = await verb.run(() =>
      api.post('blocks', { kind, who: who.trim(), reason, ...(term !== FOREVER && { forMs: Number(term) }) }),
    );
    if (!done) return;
    setWho('');
    setReason('');
    onDone();
  };
  return (
    <form
      class="card inline"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void block();
      }}
    >
      <Choice
        label={words.kind}
        value={kind}
        options={Object.entries(words.kinds) as [Block['kind'], string][]}
        onChange={setKind}
      />
      <Field
        label={words.who}
        value={who}
        onInput={setWho}
        hint={kind === 'user' ? words.userHint : words.addressHint}
        refusals={refusalsFor(verb.refusals, 'who')}
        testId="who-blocked"
      />
      <Field
        label={shared.reason}
        value={reason}
        onInput={setReason}
        refusals={refusalsFor(verb.refusals, 'reason')}
        testId="why-blocked"
      />
      <DurationChoice label={words.term} value={term} onChange={setTerm} />
      <Button type="submit" variant="danger" pending={verb.pending} testId="block-act">
        {words.block}
      </Button>
      {verb.refusals.length === 0 && <Refused refusal={verb.refusal} />}
    </form>
  );
}

function Lift({ block: { kind, who }, onClose }: { block: Block; onClose: () => void }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const lift = () => api.send('DELETE', `blocks/${kind}/${encodeURIComponent(who)}`);
  return (
    <Dialog title={words.liftTitle(who)} act={words.lift} verb={verb} onAct={lift} onClose={onClose}>
      <p>{words.liftTold}</p>
    </Dialog>
  );
}
