import { useEffect, useState } from 'preact/hooks';
import type { Plan, Previewed } from '../../state/responses.ts';
import type { Refusal } from '../../state/request.ts';
import { useApp } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Histogram } from '../../components/histogram.tsx';
import { Refused } from '../../components/awaited.tsx';
import { moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { unplaced } from './placed.ts';
import { WORDS } from './words.ts';

/** Pause in typing after which a preview is requested. */
const TYPING_MS = 250;
const FALLING_MAX = 16;
const FALL_S = 7;

/** Preview or refusals of a plan while it is typed. @param plan `undefined`: no plan yet */
export function usePreview(plan: Plan | undefined) {
  const { api, awake } = useApp();
  const [preview, setPreview] = useState<Previewed>();
  const [fault, setFault] = useState<Refusal>();
  const [draw, setDraw] = useState(0);
  const key = plan && JSON.stringify(plan);
  useEffect(() => {
    if (key === undefined || !awake) return undefined;
    const gone = new AbortController();
    const timer = setTimeout(
      () =>
        void api.post<Previewed>('rains/preview', { plan: JSON.parse(key) as Plan }, gone.signal).then((answer) => {
          if (gone.signal.aborted) return;
          setFault(answer.ok ? undefined : answer.refusal);
          // A refusal with fields is shown like a preview's refusals: its fields are those of the plan.
          if (answer.ok) setPreview(answer.value);
          else if (answer.refusal.refusals.length > 0)
            setPreview({ ok: false, refusals: [...answer.refusal.refusals] });
        }),
      TYPING_MS,
    );
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [api, key, draw, awake]);
  return { preview: key === undefined ? undefined : preview, fault, redraw: () => setDraw((before) => before + 1) };
}

export function PreviewPane({ preview, fault, redraw }: ReturnType<typeof usePreview>) {
  const { words } = useWords(WORDS);
  return (
    <section class="card preview" aria-labelledby="preview-title">
      <div class="row">
        <h2 id="preview-title">{words.preview}</h2>
        {preview?.ok && (
          <Button variant="quiet" onClick={redraw}>
            {words.redraw}
          </Button>
        )}
      </div>
      {fault && fault.refusals.length === 0 && <Refused refusal={fault} again={redraw} />}
      {!preview && <p class="hint">{words.previewEmpty}</p>}
      {preview && !preview.ok && (
        <>
          <p class="hint" data-testid="preview-refused">
            {words.previewRefused}
          </p>
          <Refused refusal={unplaced(preview.refusals)} />
        </>
      )}
      {preview?.ok && (
        <div data-testid="preview">
          <Falling amounts={preview.sample} luckiest={preview.luckiest} />
          <dl class="figures">
            <div>
              <dt>{words.smallest}</dt>
              <dd>{moneyText(preview.min)}</dd>
            </div>
            <div>
              <dt>{words.median}</dt>
              <dd>{moneyText(preview.median)}</dd>
            </div>
            <div>
              <dt>{words.mean}</dt>
              <dd>{moneyText(preview.mean)}</dd>
            </div>
            <div class="lucky">
              <dt>{words.luckiest}</dt>
              <dd data-testid="luckiest">{moneyText(preview.luckiest)}</dd>
            </div>
          </dl>
          <Histogram bins={preview.histogram} label={words.histogram} />
          <p class="hint">{words.previewTold}</p>
        </div>
      )}
    </section>
  );
}

/** Some sample packets that fall as the players will see them. A fixed rule spreads them, so the picture is stable. */
function Falling({ amounts, luckiest }: { amounts: readonly string[]; luckiest: string }) {
  const place = (i: number) => ({
    left: `${2 + ((i * 0.7549) % 1) * 84}%`,
    animationDelay: `${-((i * 0.5698) % 1) * FALL_S}s`,
    animationDuration: `${FALL_S}s`,
  });
  return (
    <div class="falling" aria-hidden="true">
      {amounts.slice(0, FALLING_MAX).map((amount, i) => (
        <span key={i} class={amount === luckiest ? 'drop luckiest' : 'drop'} style={place(i)}>
          {moneyText(amount)}
        </span>
      ))}
    </div>
  );
}
