import type { ParticipantCard } from '../../state/responses.ts';
import { useApp } from '../../state/useApi.ts';
import { QrCode } from '../../components/qr-code.tsx';
import { useWords } from '../../words/language.ts';
import { groupCode } from '../../../../src/platform/auth/typedCode.ts';
import { isLoopbackHost } from '../../../../src/platform/network/loopbackHost.ts';
import { personalLink, shortAddress } from './code.ts';
import { CARD_WORDS } from './words.ts';

/** Characters of a name that take three lines of a card in large letters. */
const LONG = 20;

/** A card for one participant, to be cut out. @param logo the address of a picture */
export function Card({
  card: { number, name, department, code },
  logo,
}: {
  card: ParticipantCard;
  logo?: string | undefined;
}) {
  const { words } = useWords(CARD_WORDS);
  const { session } = useApp();
  return (
    <li class={logo === undefined ? 'participant-card' : 'participant-card with-logo'} data-testid="card">
      {logo !== undefined && (
        <p class="card-logo">
          <img src={logo} alt="" data-testid="card-logo" />
        </p>
      )}
      <div class="person">
        {session.event !== undefined && (
          <p class="card-event" data-testid="card-event">
            {session.event}
          </p>
        )}
        <h2 class={[...name].length > LONG ? 'long' : ''}>{name}</h2>
        <p>
          <small>
            {number}
            {department !== undefined && ` · ${department}`}
          </small>
        </p>
      </div>
      {code === undefined ? (
        <p class="no-code" data-testid="card-renew">
          {words.renew}
        </p>
      ) : (
        <>
          {isLoopbackHost(shortAddress(session)) ? (
            <p class="no-code">{words.unreachable}</p>
          ) : (
            <QrCode text={personalLink(session, code)} />
          )}
          <div class="typed">
            <p>
              <small>{words.open}</small>
            </p>
            <p class="address">{shortAddress(session)}</p>
            <p>
              <b class="participant-code" data-testid="card-code">
                {groupCode(code)}
              </b>
            </p>
          </div>
        </>
      )}
    </li>
  );
}
