import { useState } from 'preact/hooks';
import type { ApprovedVerb } from '../../../src/operator/approval/ask.ts';
import type { Approval } from '../state/responses.ts';
import { useApp, useRequest, useVerb } from '../state/useApi.ts';
import { Awaited, Empty } from '../components/awaited.tsx';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Table } from '../components/table.tsx';
import { momentText, moneyText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';

const REFRESH_MS = 10_000;

const WORDS = bilingual(
  {
    title: 'Approvals',
    told: 'What moves much money waits for a second operator, at most a day. Approved, it is carried out at once, under the name of whoever asked.',
    none: 'Nothing waits',
    noneTold: 'The setting APPROVAL_ABOVE is the amount above which it does.',
    what: 'What',
    amount: 'Amount',
    by: 'Asked by',
    until: 'Until',
    state: 'State',
    decided: 'Decided by',
    parameters: 'Parameters',
    approve: 'Approve',
    refuse: 'Refuse',
    decide: 'Decide',
    verbs: { create: 'Create', 'top-up': 'Top up', 'write-off': 'Write off' } satisfies Record<
      ApprovedVerb,
      string
    > as Partial<Record<string, string>>,
    states: {
      waiting: 'waiting',
      approved: 'approved, not carried out yet',
      carried_out: 'carried out',
      refused: 'refused',
      ended: 'ended unapproved',
    },
    approveTitle: 'Approve and carry out?',
    refuseTitle: 'Refuse it?',
    own: 'yours',
  },
  {
    title: '审批',
    told: '大额操作须由另一位操作员批准，最长等待一天。批准后立即以申请人的名义执行。',
    none: '没有待审批的操作',
    noneTold: '超过 APPROVAL_ABOVE 设定金额的操作会在这里等待。',
    what: '操作',
    amount: '金额',
    by: '申请人',
    until: '截止',
    state: '状态',
    decided: '审批人',
    parameters: '参数',
    approve: '批准',
    refuse: '拒绝',
    decide: '审批',
    verbs: { create: '创建', 'top-up': '追加', 'write-off': '核销' },
    states: {
      waiting: '待审批',
      approved: '已批准，尚未执行',
      carried_out: '已执行',
      refused: '已拒绝',
      ended: '过期未批准',
    },
    approveTitle: '批准并执行？',
    refuseTitle: '拒绝这项操作？',
    own: '自己的申请',
  },
);

export function Approvals() {
  const { words, language } = useWords(WORDS);
  const { mayAct, session } = useApp();
  const request = useRequest<{ approvals: Approval[] }>('approvals', REFRESH_MS);
  const [deciding, setDeciding] = useState<Deciding>();
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
      </header>
      <Awaited request={request}>
        {({ approvals }) =>
          approvals.length === 0 ? (
            <Empty title={words.none} calm>
              <p>{words.noneTold}</p>
            </Empty>
          ) : (
            <Table label={words.title} stacks>
              <thead>
                <tr>
                  <th>{words.what}</th>
                  <th>{words.amount}</th>
                  <th>{words.by}</th>
                  <th>{words.until}</th>
                  <th>{words.state}</th>
                  <th>{words.decided}</th>
                  {mayAct && (
                    <th>
                      <span class="unseen">{words.decide}</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody>
                {approvals.map((approval) => {
                  const { id, verb, amount, askedBy, expiresAt, state, decision } = approval;
                  const isOwn = askedBy.replace(/^[^:]*:/, '') === session.name;
                  return (
                    <tr key={id} data-testid="approval">
                      <th scope="row">
                        {words.verbs[verb] ?? verb} {nameOf(approval)}
                      </th>
                      <td>{moneyText(amount)}</td>
                      <td>{askedBy}</td>
                      <td>{momentText(expiresAt, language)}</td>
                      <td data-testid="approval-state">{words.states[state]}</td>
                      <td>{decision?.by ?? ''}</td>
                      {mayAct && (
                        <td>
                          {isOwn && state === 'waiting'
                            ? words.own
                            : (state === 'waiting' || state === 'approved') && (
                                <span class="row-acts">
                                  <Button onClick={() => setDeciding({ approval, act: 'approve' })}>
                                    {words.approve}
                                  </Button>
                                  {state === 'waiting' && (
                                    <Button onClick={() => setDeciding({ approval, act: 'refuse' })}>
                                      {words.refuse}
                                    </Button>
                                  )}
                                </span>
                              )}
                        </td>
                      )}
                    </tr>
                  );
                })}
              </tbody>
            </Table>
          )
        }
      </Awaited>
      {deciding && (
        <Decide
          {...deciding}
          onClose={() => {
            setDeciding(undefined);
            request.again();
          }}
        />
      )}
    </>
  );
}

/** The title of a rain that there is not yet, else its id. */
function nameOf({ rainId, request }: Pick<Approval, 'rainId' | 'request'>): string {
  const { title } = request as { title?: unknown };
  return typeof title === 'string' && title !== '' ? title : rainId;
}

interface Deciding {
  approval: Approval;
  act: 'approve' | 'refuse';
}

function Decide({
  approval: { id, verb: asked, rainId, amount, askedBy, request },
  act,
  onClose,
}: Deciding & { onClose: () => void }) {
  const { words, language } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const title = act === 'approve' ? words.approveTitle : words.refuseTitle;
  return (
    <Dialog
      title={title}
      act={words[act]}
      variant={act === 'refuse' ? 'danger' : 'main'}
      verb={verb}
      onAct={() => api.post(`approvals/${id}/${act}`)}
      onClose={onClose}
    >
      <p>
        {words.verbs[asked] ?? asked} {nameOf({ rainId, request })}: {moneyText(amount)}, {askedBy}
      </p>
      <p>{words.parameters}</p>
      <pre>
        {JSON.stringify(
          request,
          (name, value: unknown) =>
            name.endsWith('At') && typeof value === 'number'
              ? momentText(new Date(value).toISOString(), language)
              : value,
          2,
        )}
      </pre>
    </Dialog>
  );
}
