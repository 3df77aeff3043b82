import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { RainView } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Dialog } from '../../components/dialog.tsx';
import { HoldButton } from '../../components/hold-button.tsx';
import { Refused } from '../../components/awaited.tsx';
import { useWords } from '../../words/language.ts';
import { COUNTDOWN_MS, type RemoteVerb } from './choose.ts';
import { WORDS } from './words.ts';

/** Figures may have been read before an action and come after it; those behind them were not. */
const SAMPLES_AFTER = 2;

const VARIANTS = { start: 'main', resume: 'main', pause: 'plain', close: 'danger' } as const satisfies Record<
  RemoteVerb,
  string
>;

interface RemoteButtonsProps {
  rain: Pick<RainView, 'title'>;
  path: string;
  verbs: readonly RemoteVerb[];
  /** The last figures, another object each time that they are told. */
  told: Pick<RainView, 'state'>;
  reached: 'up' | 'connecting' | 'lost';
}

/**
 * After an action, answered or not, the buttons wait until the state is told anew: what was done once is not done
 * again.
 */
export function RemoteButtons({ rain: { title }, path, verbs, told: figures, reached }: RemoteButtonsProps) {
  const { words, shared } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const note = useId();
  const [asked, setAsked] = useState<RemoteVerb>();
  const [done, setDone] = useState<RemoteVerb>();
  const [touch, setTouch] = useState<'holding' | 'slipped' | 'held'>('held');
  const [waitingFor, setWaitingFor] = useState(0);
  // Set before the next render: two fingers may end their hold in one moment.
  const busy = useRef(false);
  useEffect(() => setWaitingFor((left) => Math.max(0, left - 1)), [figures]);
  const send = async (name: RemoteVerb) => {
    setDone(undefined);
    const answer = await api.post(`${path}/${name}`, name === 'start' ? { inMs: COUNTDOWN_MS } : {});
    setWaitingFor(SAMPLES_AFTER);
    if (answer.ok) setDone(name);
    return answer;
  };
  const act = (name: RemoteVerb) => {
    if (busy.current) return;
    busy.current = true;
    void verb
      .run(() => send(name))
      .finally(() => {
        busy.current = false;
      });
  };
  const off = reached !== 'up' || verb.pending || waitingFor > 0;
  const told =
    reached === 'lost'
      ? words.lost
      : reached === 'connecting'
        ? words.connecting
        : verb.pending
          ? shared.wait
          : touch === 'holding'
            ? words.holding
            : touch === 'slipped'
              ? words.slipped
              : done && !(done === 'start' && figures.state === 'open')
                ? words.done[done]
                : waitingFor > 0
                  ? words.settling
                  : verbs.length > 0
                    ? words.hold
                    : '';
  return (
    <>
      {!asked && <Refused refusal={verb.refusal} />}
      <div class="remote-acts">
        <p class="remote-note" id={note} role="status" data-testid="remote-note">
          {told}
        </p>
        {verbs.map((name) => (
          <HoldButton
            key={name}
            variant={VARIANTS[name]}
            disabled={off}
            describedBy={note}
            testId={`remote-${name}`}
            onHeld={() => act(name)}
            onAsk={() => {
              verb.forget();
              setAsked(name);
            }}
            onHolding={(state) => {
              setTouch(state);
              if (state === 'holding') {
                setDone(undefined);
                verb.forget();
              }
            }}
          >
            {words.verbs[name]}
          </HoldButton>
        ))}
      </div>
      {asked && (
        <Dialog
          title={words.ask[asked](title)}
          act={words.verbs[asked]}
          variant={asked === 'close' ? 'danger' : 'main'}
          verb={verb}
          disabled={reached !== 'up' || waitingFor > 0 || !verbs.includes(asked)}
          onAct={() => send(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>{words.told[asked]}</p>
        </Dialog>
      )}
    </>
  );
}
