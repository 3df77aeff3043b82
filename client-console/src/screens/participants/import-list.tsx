import { useRef, useState } from 'preact/hooks';
import type { ParticipantImport } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Refused } from '../../components/awaited.tsx';
import { useWords } from '../../words/language.ts';
import { UnderstoodList } from '../../components/understood.tsx';
import { WORDS } from './words.ts';

const OTHER_NAME = /^\S+ has come in as /;

/** Shows what was understood of a file, and adds its people to the list. */
export function ImportList({ onDone }: { onDone: () => void }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  /** Read without refusal. `rename`: also with other names of people who have come in. */
  const [file, setFile] = useState<{ list: Blob; rename: boolean }>();
  const [read, setRead] = useState<ParticipantImport>();
  const [imported, setImported] = useState<ParticipantImport>();
  /** Refused only because people who have come in would have other names. */
  const [renaming, setRenaming] = useState<Blob>();
  const input = useRef<HTMLInputElement>(null);
  const post = (list: Blob, query: string) =>
    verb.run(async () => {
      const answer = await api.post<ParticipantImport>(`participants/import${query}`, list);
      if (!answer.ok && answer.refusal.refusals.some(({ reason }) => OTHER_NAME.test(reason))) setRenaming(list);
      return answer;
    });
  const clear = () => {
    // After a refusal the file is corrected, and browsers send no file that has changed since it was chosen.
    if (input.current) input.current.value = '';
    setFile(undefined);
    setRead(undefined);
    setRenaming(undefined);
  };
  const choose = async (chosen: Blob | undefined, rename = false) => {
    setFile(undefined);
    setRead(undefined);
    setImported(undefined);
    setRenaming(undefined);
    verb.forget();
    if (!chosen) return;
    const answered = await post(chosen, rename ? '?dryRun=yes&rename=yes' : '?dryRun=yes');
    if (!answered) {
      if (input.current) input.current.value = '';
      return;
    }
    setRead(answered.done);
    setFile({ list: chosen, rename });
  };
  const send = async ({ list, rename }: { list: Blob; rename: boolean }) => {
    clear();
    const answered = await post(list, rename ? '?rename=yes' : '');
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
            accept=".xlsx,.csv,.txt,text/csv"
            ref={input}
            data-testid="list"
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
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
      {read && (
        <UnderstoodList
          understood={read.understood}
          rows={read.added + read.changed + read.unchanged}
          first={read.first}
        />
      )}
      {renaming && (
        <Button onClick={() => void choose(renaming, true)} testId="rename">
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
