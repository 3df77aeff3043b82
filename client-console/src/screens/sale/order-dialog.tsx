import { useState } from 'preact/hooks';
import { isFree } from '../../../../src/sale/order.ts';
import type { Order } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { countText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import { WORDS } from './order-words.ts';

export interface Asking {
  verb: 'pay' | 'cancel' | 'refund';
  order: Order;
}

/** Cancels or refunds an order by hand, with a reason for the audit log. */
export function OrderDialog({ verb: name, order, onClose }: Asking & { onClose: () => void }) {
  const { orderId, quantity, sku, userId } = order;
  const { words: priced, shared } = useWords(WORDS);
  const words = isFree(order) ? { ...priced, ...priced.whenFree } : priced;
  const { api } = useApp();
  const verb = useVerb();
  const [reason, setReason] = useState('');
  return (
    <Dialog
      title={words[`${name}Title`](orderId)}
      act={words[`${name}Act`]}
      variant={name === 'pay' ? 'main' : 'danger'}
      verb={verb}
      disabled={reason.trim() === ''}
      onAct={() => api.post(`orders/${encodeURIComponent(orderId)}/${name}`, { reason })}
      onClose={onClose}
    >
      <p>
        <b>{words.what(countText(quantity), sku, userId)}</b> {words[`${name}Told`]}
      </p>
      <Field
        label={shared.reason}
        value={reason}
        onInput={setReason}
        hint={words.whyHint}
        refusals={refusalsFor(verb.refusals, 'reason')}
        testId="why"
      />
    </Dialog>
  );
}
