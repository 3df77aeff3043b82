import { useState } from 'preact/hooks';
import { NO_TICKETS, REQUIRED_WHEN, type RequiredWhen, type TicketRules } from '../../../src/rain/ticketRules.ts';
import { Dialog } from '../components/dialog.tsx';
import { Choice } from '../components/field.tsx';
import { useApp, useVerb } from '../state/useApi.ts';
import { bilingual, useWords } from '../words/language.ts';

export const TICKET_WORDS = bilingual(
  {
    ask: (title: string) => `Tickets of “${title}”`,
    act: 'Change',
    tickets: 'A ticket is needed',
    proofOfWork: 'A ticket needs a proof of work',
    when: { off: 'Never', pressure: 'Under load', always: 'Always' } as Record<RequiredWhen, string>,
    told: 'It holds at once, at every gateway. Who has no ticket that is good enough gets one by joining again, from two minutes before the opening on.',
  },
  {
    ask: (title) => `“${title}”的防刷规则`,
    act: '修改',
    tickets: '何时需要防刷凭证',
    proofOfWork: '何时领取防刷凭证需要工作量证明',
    when: { off: '不需要', pressure: '负载高时', always: '始终' },
    told: '立即在所有网关生效。没有合格防刷凭证的用户重新进入即可领取，最早在开始前两分钟。',
  },
);

interface TicketsProps {
  /** `rains/ID` or `sales/ID`. */
  path: string;
  title: string;
  rules?: TicketRules | undefined;
  onClose: () => void;
}

/** Changes when a ticket and a proof of work are needed, of a rain or a sale, also while it runs. */
export function Tickets({ path, title, rules = NO_TICKETS, onClose }: TicketsProps) {
  const { words } = useWords(TICKET_WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [tickets, setTickets] = useState(rules.tickets);
  const [proofOfWork, setProofOfWork] = useState(rules.proofOfWork);
  const options = REQUIRED_WHEN.map((when) => [when, words.when[when]] as const);
  return (
    <Dialog
      title={words.ask(title)}
      act={words.act}
      verb={verb}
      disabled={tickets === 'off' && proofOfWork !== 'off'}
      onClose={onClose}
      onAct={() => api.post(`${path}/tickets`, { tickets, proofOfWork })}
    >
      <Choice label={words.tickets} value={tickets} options={options} onChange={setTickets} />
      <Choice label={words.proofOfWork} value={proofOfWork} options={options} onChange={setProofOfWork} />
      <p>{words.told}</p>
    </Dialog>
  );
}
