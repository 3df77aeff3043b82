import { useEffect, useState } from 'preact/hooks';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { counted, countText } from '../../words/figures.ts';
import { bilingual, useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';

const WORDS = bilingual(
  {
    title: 'Mark the findings as seen?',
    act: 'Mark as seen',
    told: (n: number) =>
      `${counted(n, 'finding')} of data that somebody changed by hand. No units move; afterwards they no longer keep the sale from being settled.`,
    none: 'There is nothing that can be marked as seen.',
    whyHint: 'It is recorded for good.',
  },
  {
    title: '把这些问题标记为已阅？',
    act: '标记为已阅',
    told: (n) => `${countText(n)} 处被人手工改动的数据。不动库存；之后它们不再妨碍结算。`,
    none: '没有可以标记为已阅的内容。',
    whyHint: '会永久记录。',
  },
);

interface Found {
  findings: number;
}

/** Acknowledges what nobody can undo, such as a forged entry of the reservation log. */
export function Acknowledge({ saleId, onClose }: { saleId: string; onClose: () => void }) {
  const { words, shared } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [found, setFound] = useState<Found>();
  const [reason, setReason] = useState('');
  const path = `sales/${encodeURIComponent(saleId)}/acknowledge-tampering`;
  // A dry run needs a reason, too; it is recorded nowhere.
  useEffect(
    () =>
      void verb
        .run(() => api.post<Found>(path, { reason: 'dry run', dryRun: true }))
        .then((tried) => {
          if (tried) setFound(tried.done);
        }),
    [path],
  );
  return (
    <Dialog
      title={words.title}
      act={words.act}
      verb={verb}
      disabled={!found || found.findings === 0 || reason.trim() === ''}
      onAct={() => api.post(path, { reason })}
      onClose={onClose}
    >
      {!found && verb.pending && <p>{shared.loading}</p>}
      {found && <p>{found.findings === 0 ? words.none : words.told(found.findings)}</p>}
      <Field
        label={shared.reason}
        value={reason}
        onInput={setReason}
        hint={words.whyHint}
        refusals={refusalsFor(verb.refusals, 'reason')}
        testId="why-seen"
      />
    </Dialog>
  );
}
