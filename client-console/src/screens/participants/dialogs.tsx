import { useState } from 'preact/hooks';
import type { Participant } from '../../state/responses.ts';
import { hashOf } from '../../state/route.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Copyable } from '../../components/copyable.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useWords } from '../../words/language.ts';
import { groupCode } from '../../../../src/platform/auth/typedCode.ts';
import { personalLink } from './code.ts';
import { WORDS } from './words.ts';

interface ParticipantDialogProps {
  participant: Participant;
  onClose: () => void;
}

/** Gives a participant another code, and shows it. */
export function NewCode({ participant: { number, name }, onClose }: ParticipantDialogProps) {
  const { words } = useWords(WORDS);
  const { api, session } = useApp();
  const verb = useVerb();
  const [code, setCode] = useState<string>();
  const renew = () => api.post<{ code: string }>('participants/renew', { number });
  const given = code !== undefined;
  return (
    <Dialog
      title={given ? words.renewedTitle(name) : words.renewTitle(name)}
      act={words.renew}
      verb={verb}
      onAct={renew}
      over={given}
      staysOpen={(done) => {
        setCode(done.code);
        return true;
      }}
      onClose={onClose}
    >
      {given ? (
        <>
          <p role="status">
            <b class="participant-code" data-testid="new-code">
              {groupCode(code)}
            </b>
          </p>
          <p>{words.renewedTold}</p>
          <h3>{words.link}</h3>
          <Copyable text={personalLink(session, code)} testId="new-link" />
          <p>
            <a class="button" href={hashOf({ screen: 'participant-cards', find: number })} data-testid="new-card">
              {words.card}
            </a>
          </p>
        </>
      ) : (
        <p>{words.renewTold}</p>
      )}
    </Dialog>
  );
}

/** Takes a participant off the list. */
export function Remove({ participant: { number, name, userId }, onClose }: ParticipantDialogProps) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const remove = () => api.post('participants/remove', { numbers: [number] });
  return (
    <Dialog
      title={words.removeTitle(name)}
      act={words.remove}
      variant="danger"
      verb={verb}
      onAct={remove}
      onClose={onClose}
    >
      <p>{words.removeTold}</p>
      <p>
        {words.userId} <code>{userId}</code>
      </p>
    </Dialog>
  );
}

/** Takes everybody off the list. */
export function RemoveAll({ onClose }: Pick<ParticipantDialogProps, 'onClose'>) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  return (
    <Dialog
      title={words.removeAllTitle}
      act={words.removeAll}
      variant="danger"
      verb={verb}
      onAct={() => api.post('participants/remove', { numbers: 'all' })}
      onClose={onClose}
    >
      <p>{words.removeAllTold}</p>
    </Dialog>
  );
}
