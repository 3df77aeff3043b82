import { useRef, useState } from 'preact/hooks';
import { checkPicture } from '../../../../src/rain/theme/files.ts';
import { ITEM_PICTURE_LIMITS } from '../../../../src/sale/picture.ts';
import type { FieldRefusal } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Refused } from '../../components/awaited.tsx';
import { useWords } from '../../words/language.ts';
import { reasonIn } from '../../words/refusals.ts';
import { shrunk } from './shrink.ts';
import { WORDS } from './words.ts';

/** Uploads a picture for an item, and tells its address. */
export function PictureUpload({ at, onKept }: { at: number; onKept: (picture: string) => void }) {
  const { words, language } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  // Other fields may be typed into while the picture is on its way.
  const latest = useRef(onKept);
  latest.current = onKept;
  const [refused, setRefused] = useState<readonly FieldRefusal[]>([]);
  const keep = async (chosen: File) => {
    verb.forget();
    const file = await shrunk(chosen);
    // The console checks the same; no picture at all is not even sent.
    const checked = checkPicture('picture', new Uint8Array(await file.arrayBuffer()), ITEM_PICTURE_LIMITS);
    setRefused(checked.ok ? [] : checked.refusals);
    if (!checked.ok) return;
    await verb.run(async () => {
      const answer = await api.put<{ picture: string }>('sale-pictures', file);
      if (answer.ok) latest.current(answer.value.picture);
      return answer;
    });
  };
  return (
    <div class="picture-upload">
      <label>
        {words.upload}
        <input
          type="file"
          accept="image/png,image/jpeg,image/webp"
          disabled={verb.pending}
          data-testid={`item-${at}-upload`}
          onChange={(event) => {
            const { currentTarget: input } = event;
            const chosen = input.files?.[0];
            // The same file may be chosen again after it was corrected.
            if (chosen)
              void keep(chosen).then(() => {
                input.value = '';
              });
          }}
        />
      </label>
      {refused.length > 0 && (
        <p class="refusal" role="alert">
          {refused.map(({ reason }) => reasonIn(language, reason)).join(' · ')}
        </p>
      )}
      <Refused refusal={verb.refusal} />
    </div>
  );
}
