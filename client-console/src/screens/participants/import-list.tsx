import { useRef, useState } from 'preact/hooks';
import type { ParticipantImport } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Refused } from '../../components/awaited.tsx';
import { useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

const OTHER_NAME = /^\S+ has come in as /;

/** Sends a CSV file whose people are added to the list. */
export function ImportList({ onDone }: { onDone: () => void }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [file, setFile] = useState<Blob>();
  const [imported, setImported] = useState<ParticipantImport>();
  /** Refused only because people who have come in would have other names. */
  const [renaming, setRenaming] = useState<Blob>();
  const input = useRef<HTMLInputElement>(null);
  const choose = (chosen: Blob | undefined) => {
    setFile(chosen);
    setImported(undefined);
    setRenaming(undefined);
    verb.forget();
  };
  const send = async (list: Blob, rename = false) => {
    setRenaming(undefined);
    const answered = await verb.run(async () => {
      const answer = await api.post<ParticipantImport>(`participants/import${rename ? '?rename=yes' : ''}`, list);
      if (!answer.ok && answer.refusal.refusals.some(({ reason }) => OTHER_NAME.test(reason))) setRenaming(list);
      return answer;
    });
    // After a refusal the file is corrected, and browsers send no file that has changed since it was chosen.
    if (input.current) input.current.value = '';
    setFile(undefined);
    if (!answered) return;
    setImported(answered.done);
    onDone();
  };
  return (
    <section class="card from-file" aria-labelledby="import">
      <h2 id="import">{words.importTitle}</h2>
      <p class="hint">
        {words.columns} {words.importTold}
      </p>
      <div class="acts">
        <label>
          {words.file}{' '}
          <input
            type="file"
            accept=".csv,text/csv"
            ref={input}
            data-testid="list"
            onChange={(event) => choose(event.currentTarget.files?.[0])}
          />
        </label>
        <Button
          variant="main"
          pending={verb.pending}
          disabled={!file}
          onClick={() => {
            if (file) void send(file);
          }}
          testId="import"
        >
          {words.import}
        </Button>
      </div>
      <Refused refusal={verb.refusal} />
      {renaming && (
        <Button onClick={() => void send(renaming, true)} testId="rename">
          {words.rename}
        </Button>
      )}
      {imported && (
        <p class="verdict good" role="status" data-testid="imported">
          {words.imported(imported.added, imported.changed, imported.unchanged)}
        </p>
      )}
    </section>
  );
}
