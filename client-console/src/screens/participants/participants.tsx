import { useState } from 'preact/hooks';
import type { Participant, ParticipantList } from '../../state/responses.ts';
import { hashOf } from '../../state/route.ts';
import { useApp, useRequest } from '../../state/useApi.ts';
import { useSettled } from '../../state/useSettled.ts';
import { Awaited, Empty } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Pages } from '../../components/pages.tsx';
import { Table } from '../../components/table.tsx';
import { momentText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { NewCode, Remove, RemoveAll } from './dialogs.tsx';
import { ImportList } from './import-list.tsx';
import { WORDS } from './words.ts';

const REFRESH_MS = 5_000;

type Asking = { verb: 'renew' | 'remove'; participant: Participant } | { verb: 'remove-all' };

/** The list of participants: who is on it, and who has come in. */
export function Participants() {
  const { words } = useWords(WORDS);
  const { mayAct, session } = useApp();
  // The counts are those of the whole list, whatever is searched for.
  const counts = useRequest<ParticipantList>('participants?limit=1', REFRESH_MS);
  const [typed, setTyped] = useState('');
  const search = useSettled(typed).trim();
  const [asking, setAsking] = useState<Asking>();
  const [reloads, setReloads] = useState(0);
  const reload = () => {
    counts.again();
    setReloads((before) => before + 1);
  };
  const close = () => {
    setAsking(undefined);
    reload();
  };
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
        {mayAct && counts.value !== undefined && counts.value.total > 0 && (
          <div class="acts">
            <a class="button" href={hashOf({ screen: 'participant-cards' })} data-testid="to-cards">
              {words.cards}
            </a>
            <Button variant="danger" onClick={() => setAsking({ verb: 'remove-all' })} testId="remove-all">
              {words.removeAll}
            </Button>
          </div>
        )}
      </header>
      {!session.participants && (
        <p class="verdict bad" data-testid="no-codes">
          {words.noCodes}
        </p>
      )}
      {mayAct && <ImportList onDone={reload} />}
      <Awaited request={counts}>
        {({ total, entered }) =>
          total === 0 ? (
            <Empty title={words.none} calm>
              <p>{words.noneTold}</p>
            </Empty>
          ) : (
            <>
              <p class="participant-counts" data-testid="participant-counts">
                {words.counts(total, entered)}
              </p>
              <div class="tools">
                <Field label={words.search} type="search" value={typed} onInput={setTyped} testId="search" />
              </div>
              <Pages<Participant>
                path="participants"
                query={search === '' ? {} : { search }}
                field="participants"
                everyMs={REFRESH_MS}
                reloads={reloads}
                empty={
                  <Empty title={words.noMatch} calm>
                    <p>{words.noMatchTold}</p>
                  </Empty>
                }
              >
                {(participants) => <ParticipantTable participants={participants} onAsk={setAsking} />}
              </Pages>
            </>
          )
        }
      </Awaited>
      {asking?.verb === 'renew' && <NewCode participant={asking.participant} onClose={close} />}
      {asking?.verb === 'remove-all' && <RemoveAll onClose={close} />}
      {asking?.verb === 'remove' && <Remove participant={asking.participant} onClose={close} />}
    </>
  );
}

function ParticipantTable({
  participants,
  onAsk,
}: {
  participants: readonly Participant[];
  onAsk: (asking: Asking) => void;
}) {
  const { words, language } = useWords(WORDS);
  const { mayAct } = useApp();
  const ask = (verb: 'renew' | 'remove', participant: Participant) => (
    <Button
      variant="quiet"
      label={`${words[verb]}: ${participant.name}`}
      onClick={() => onAsk({ verb, participant })}
      testId={verb}
    >
      {words[verb]}
    </Button>
  );
  return (
    <Table label={words.title} stacks>
      <thead>
        <tr>
          <th>{words.number}</th>
          <th>{words.name}</th>
          <th>{words.department}</th>
          <th>{words.entered}</th>
          {mayAct && (
            <th>
              <span class="unseen">{words.acts}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {participants.map((participant) => {
          const { number, name, department, enteredAt } = participant;
          return (
            <tr key={number} data-testid="participant" data-number={number}>
              <td>{number}</td>
              <th scope="row">{name}</th>
              <td>{department ?? '–'}</td>
              <td class="moment" data-testid="entered">
                {enteredAt === undefined ? words.notYet : momentText(enteredAt, language)}
              </td>
              {mayAct && (
                <td>
                  <span class="row-acts">
                    {ask('renew', participant)}
                    {ask('remove', participant)}
                  </span>
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}
