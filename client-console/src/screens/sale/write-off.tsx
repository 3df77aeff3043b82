import { useEffect, useState } from 'preact/hooks';
import type { SaleView, SaleWrittenOff } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { counted, countText } from '../../words/figures.ts';
import { bilingual, useWords } from '../../words/language.ts';
import { reasonIn } from '../../words/refusals.ts';
import { refusalsFor } from '../create/draft.ts';

const WORDS = bilingual(
  {
    title: (title: string) => `Write off “${title}”?`,
    act: 'Write off',
    told: 'Only for a sale that can never add up again. Nothing is sold in it any more, and it cannot be taken back.',
    orders: 'Its orders stay: what is paid stays paid, and the shop ships it.',
    back: (n: number) => `${counted(n, 'unit goes', 'units go')} back to the shop.`,
    waiting: (n: number) =>
      `${counted(n, 'order', 'orders')} can still be paid; when each is decided, the sale is settled.`,
    lost: 'Reservations without an order are lost: their buyers get nothing, and nobody has paid for them here.',
    problems: 'What nobody could put right',
    whyHint: 'It is recorded in the audit log.',
  },
  {
    title: (title) => `核销“${title}”？`,
    act: '核销',
    told: '仅用于再也无法对平的秒杀。核销后不再出售任何商品，且不能撤回。',
    orders: '订单保留：已支付的仍然有效，由商家发货。',
    back: (n) => `${countText(n)} 件退回商家。`,
    waiting: (n) => `仍可支付的订单：${countText(n)} 个。它们全部有结果后，本场结算。`,
    lost: '没有订单的预占会丢失：这些买家得不到商品，也没有在此付款。',
    problems: '无法修复的问题',
    whyHint: '会写入操作日志。',
  },
);

/** Gives a sale up, after the console has said what that would do. */
export function WriteOff({ sale: { saleId, title }, onClose }: { sale: SaleView; onClose: () => void }) {
  const { words, shared, language } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [plan, setPlan] = useState<SaleWrittenOff>();
  const [reason, setReason] = useState('');
  const path = `sales/${encodeURIComponent(saleId)}/write-off`;
  // A dry run needs a reason, too; it is recorded nowhere.
  useEffect(
    () =>
      void verb
        .run(() => api.post<SaleWrittenOff>(path, { reason: 'dry run', dryRun: true }))
        .then((tried) => {
          if (tried) setPlan(tried.done);
        }),
    [path],
  );
  return (
    <Dialog
      title={words.title(title)}
      act={words.act}
      variant="danger"
      verb={verb}
      disabled={!plan || reason.trim() === ''}
      onAct={() => api.post(path, { reason })}
      onClose={onClose}
    >
      <p>{words.told}</p>
      {!plan && verb.pending && <p>{shared.loading}</p>}
      {plan && (
        <>
          <ul class="deeds" data-testid="write-off-deeds">
            <li>
              <b>{words.back(plan.returned)}</b>
            </li>
            <li>
              {words.orders}
              {plan.waiting > 0 && ` ${words.waiting(plan.waiting)}`}
            </li>
            <li>{words.lost}</li>
          </ul>
          <div class="findings">
            <h3>{words.problems}</h3>
            <ul>
              {plan.problems.map((problem) => (
                <li key={problem}>{reasonIn(language, problem)}</li>
              ))}
            </ul>
          </div>
        </>
      )}
      <Field
        label={shared.reason}
        value={reason}
        onInput={setReason}
        hint={words.whyHint}
        refusals={refusalsFor(verb.refusals, 'reason')}
        testId="why-written-off"
      />
    </Dialog>
  );
}
