import { useState } from 'preact/hooks';
import type { Access } from '../../state/responses.ts';
import { useApp, useRequest, useVerb } from '../../state/useApi.ts';
import { Awaited } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Table } from '../../components/table.tsx';
import { momentText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { PasswordForm } from './password.tsx';
import { Totp } from './totp.tsx';
import { WORDS } from './words.ts';

const REFRESH_MS = 30_000;

/** The rights of the operator's own account, and its ways in. */
export function Account() {
  const { words, language } = useWords(WORDS);
  const request = useRequest<{ sessions: Access[] }>('sessions', REFRESH_MS);
  const [ending, setEnding] = useState<Access>();
  const when = (moment: string | undefined) => (moment === undefined ? words.never : momentText(moment, language));
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
      </header>
      <h2>{words.sessions}</h2>
      <Awaited request={request}>
        {({ sessions }) => (
          <Table label={words.sessions} stacks>
            <thead>
              <tr>
                <th>{words.device}</th>
                <th>{words.from}</th>
                <th>{words.since}</th>
                <th>{words.used}</th>
                <th>{words.until}</th>
                <th>
                  <span class="unseen">{words.end}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {sessions.map((one) => (
                <tr key={one.id} data-testid="access">
                  <th scope="row">
                    {one.device || words.unknown} <small>{one.current ? words.here : words.kinds[one.kind]}</small>
                  </th>
                  <td>{one.address ?? ''}</td>
                  <td>{when(one.since)}</td>
                  <td>{when(one.lastUsedAt)}</td>
                  <td>{when(one.expiresAt)}</td>
                  <td>{!one.current && <Button onClick={() => setEnding(one)}>{words.end}</Button>}</td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Awaited>
      <PasswordForm onDone={request.again} />
      <Totp onDone={request.again} />
      {ending && (
        <End
          access={ending}
          onClose={() => {
            setEnding(undefined);
            request.again();
          }}
        />
      )}
    </>
  );
}

function End({ access: { id, device }, onClose }: { access: Access; onClose: () => void }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  return (
    <Dialog
      title={words.endTitle}
      act={words.end}
      variant="danger"
      verb={verb}
      onAct={() => api.send('DELETE', `sessions/${id}`)}
      onClose={onClose}
    >
      <p>{words.endTold(device)}</p>
    </Dialog>
  );
}
