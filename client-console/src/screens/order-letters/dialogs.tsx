import { useState } from 'preact/hooks';
import type { OrderLetter, OrderLettersRequeued } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import { WORDS } from './words.ts';

export interface Asking {
  verb: 'requeue' | 'discard';
  letter: OrderLetter;
}

/** Requeues a dead letter, or discards it with a reason for the audit log. */
export function LetterDialog({
  verb: name,
  letter: { letterId, reservationId, reason: dead, unsigned },
  onClose,
}: Asking & { onClose: () => void }) {
  const { words, shared } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [reason, setReason] = useState('');
  const isDiscard = name === 'discard';
  return (
    <Dialog
      title={isDiscard ? words.discardTitle : words.requeueTitle}
      act={words[name]}
      variant={isDiscard ? 'danger' : 'main'}
      verb={verb}
      disabled={isDiscard && reason.trim() === ''}
      onAct={() => api.post(`dead/orders/${encodeURIComponent(letterId)}/${name}`, isDiscard ? { reason } : undefined)}
      onClose={onClose}
    >
      {isDiscard && dead === 'paid_after_release' && !unsigned && (
        <p>
          <b>{words.payBack}</b>
        </p>
      )}
      <p>{isDiscard ? words.discardTold : words.requeueTold(reservationId ?? letterId)}</p>
      {isDiscard && (
        <Field
          label={shared.reason}
          value={reason}
          onInput={setReason}
          hint={words.whyHint}
          refusals={refusalsFor(verb.refusals, 'reason')}
          testId="why-discarded"
        />
      )}
    </Dialog>
  );
}

/** Requeues the dead letters of a sale. While there are more, or some stay, it says so instead of closing. */
export function RequeueAll({ saleId, onClose }: { saleId: string; onClose: () => void }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [done, setDone] = useState<OrderLettersRequeued>();
  const requeue = async () => {
    const answer = await api.post<OrderLettersRequeued>(`sales/${encodeURIComponent(saleId)}/requeue`);
    if (answer.ok) setDone(answer.value);
    return answer;
  };
  return (
    <Dialog
      title={words.requeueAllTitle(saleId)}
      act={words.requeueAllAct}
      verb={verb}
      onAct={requeue}
      staysOpen={({ complete, final }) => !complete || final > 0}
      onClose={onClose}
    >
      <p>{words.requeueAllTold}</p>
      {done && (
        <p role="status" data-testid="requeued">
          <b>{words.sent(done.requeued)}</b> {done.final > 0 && words.stay(done.final)} {!done.complete && words.more}
        </p>
      )}
    </Dialog>
  );
}
