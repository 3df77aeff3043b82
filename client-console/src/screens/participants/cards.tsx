import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { DEFAULT_COLOURS } from '../../../../src/rain/theme.ts';
import { isLoopbackHost } from '../../../../src/platform/network/loopbackHost.ts';
import type { ParticipantCard, Theme } from '../../state/responses.ts';
import { hashOf } from '../../state/route.ts';
import { saveFile } from '../../state/saveFile.ts';
import { useApp, useRequest, useVerb } from '../../state/useApi.ts';
import { useSettled } from '../../state/useSettled.ts';
import { Empty, Refused } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { countText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { usePicture } from '../themes/usePicture.ts';
import { Card } from './card.tsx';
import { cardSheet } from './card-sheet.ts';
import { personalLink, shortAddress } from './code.ts';
import { findCards } from './find-cards.ts';
import { CARD_WORDS, WORDS } from './words.ts';

/** More make the page slow, and nobody cuts them out. */
const PRINTED_MAX = 2_000;
/** With more, the number of pages is told. */
const FEW = 500;
/** As style/participants.css lays them out. */
const CARDS_PER_PAGE = 10;
/** A QR code takes some milliseconds: the page answers after so many of them. */
const DRAWN_AT_ONCE = 40;

/** A card with the personal code for each participant, or for some. @param find what is searched for at first */
export function ParticipantCards({ find = '' }: { find?: string | undefined }) {
  const { words, shared } = useWords(CARD_WORDS);
  const { words: list } = useWords(WORDS);
  const { api, session, mayAct, awake } = useApp();
  const verb = useVerb();
  const theme = useRequest<{ themes: Theme[] }>(mayAct ? 'themes' : undefined).value?.themes.find(
    ({ isDefault }) => isDefault,
  );
  const logo = usePicture(theme?.files.logo?.url);
  const [cards, setCards] = useState<readonly ParticipantCard[]>();
  const read = async () => {
    const answered = await verb.run(() => api.post<{ cards: ParticipantCard[] }>('participants/cards'));
    if (answered) setCards(answered.done.cards);
  };
  // Once: each reading is recorded. It waits for the login that may cover the page.
  useEffect(() => {
    if (mayAct && awake && !cards) void read();
  }, [mayAct, awake]);
  const [typed, setTyped] = useState(find);
  const wanted = useSettled(typed);
  const found = useMemo(() => cards && findCards(cards, wanted), [cards, wanted]);
  const printed = found && found.length <= PRINTED_MAX ? found : [];
  const drawn = useDrawn(printed.length);
  // Made once, so that a step draws only the next cards.
  const elements = useMemo(
    () => printed.map((card) => <Card key={card.number} card={card} logo={logo} />),
    [found, logo],
  );
  const save = (chosen: readonly ParticipantCard[]) =>
    saveFile(
      new Blob([cardSheet(chosen, (code) => personalLink(session, code))], { type: 'text/csv' }),
      'participant-cards.csv',
    );
  return (
    <article class="participant-cards">
      <header class="head">
        <div>
          <a class="back" href={hashOf({ screen: 'participants' })}>
            ← {list.title}
          </a>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
        {found && found.length > 0 && (
          <div class="acts">
            {printed.length > 0 && (
              <Button variant="main" onClick={() => print()} pending={drawn < printed.length} testId="print">
                {words.print}
              </Button>
            )}
            <Button onClick={() => save(found)} testId="cards-csv">
              {words.csv}
            </Button>
          </div>
        )}
      </header>
      {!mayAct && <Empty title={words.viewer} calm />}
      <Refused refusal={verb.refusal} again={() => void read()} />
      {cards && cards.length > 1 && (
        <div class="tools">
          <Field label={list.search} type="search" value={typed} onInput={setTyped} testId="search" />
        </div>
      )}
      {found && <Notes cards={found} isAll={found.length === cards?.length} />}
      {printed.length > 0 && <CardGrid theme={theme}>{elements.slice(0, drawn)}</CardGrid>}
      {mayAct && !cards && !verb.refusal && (
        <p class="awaited" role="status">
          {shared.loading}
        </p>
      )}
    </article>
  );
}

function CardGrid({ theme, children }: { theme: Theme | undefined; children: ComponentChildren }) {
  return (
    <ul
      class="participant-grid"
      style={{ '--theme-background': theme?.colours.background ?? DEFAULT_COLOURS.background }}
    >
      {children}
    </ul>
  );
}

/** How many of these cards are drawn by now. */
function useDrawn(total: number): number {
  const [drawn, setDrawn] = useState(DRAWN_AT_ONCE);
  useEffect(() => {
    if (drawn >= total) return undefined;
    const timer = setTimeout(() => setDrawn(drawn + DRAWN_AT_ONCE));
    return () => clearTimeout(timer);
  }, [drawn, total]);
  return Math.min(drawn, total);
}

/** Notes to read before the cards are printed. */
function Notes({ cards, isAll }: { cards: readonly ParticipantCard[]; isAll: boolean }) {
  const { words } = useWords(CARD_WORDS);
  const { words: list } = useWords(WORDS);
  const { session } = useApp();
  const address = shortAddress(session);
  const outdated = cards.filter(({ code }) => code === undefined).length;
  return (
    <>
      {!session.participants && (
        <p class="verdict bad" data-testid="no-codes">
          {list.noCodes}
        </p>
      )}
      {cards.length === 0 &&
        (isAll ? (
          <p>{words.none}</p>
        ) : (
          <Empty title={list.noMatch} calm>
            <p>{list.noMatchTold}</p>
          </Empty>
        ))}
      {cards.length > 0 && (
        <p data-testid="page-address">
          {words.address(address)} {isLoopbackHost(address) && <b>{words.loopback}</b>}
        </p>
      )}
      {cards.length > FEW && cards.length <= PRINTED_MAX && (
        <p data-testid="pages">{words.pages(cards.length, Math.ceil(cards.length / CARDS_PER_PAGE))}</p>
      )}
      {cards.length > PRINTED_MAX && <p data-testid="too-many">{words.tooMany(countText(PRINTED_MAX))}</p>}
      {outdated > 0 && <p data-testid="outdated">{words.outdated(outdated)}</p>}
    </>
  );
}
