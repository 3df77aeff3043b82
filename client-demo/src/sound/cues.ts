import type { View } from '../view.ts';

export type Cue = 'tick' | 'last' | 'go' | 'tap' | 'win' | 'miss' | 'credited';

/** The last seconds before the start tick; the very last ones tick higher. */
const TICKING = 10;
const LAST = 3;

type Moment = Pick<View, 'face' | 'seconds' | 'win'>;

/** The cue for a change of the view. A page that opens with an old result is silent. */
export function cueOf(before: Moment, after: Moment): Cue | undefined {
  if (before.face !== after.face) return cueOfFace(before.face, after);
  if (after.win?.credited && before.win && !before.win.credited) return 'credited';
  const { face, seconds } = after;
  if (face !== 'scheduled' || seconds === undefined || seconds === before.seconds || seconds < 1 || seconds > TICKING)
    return undefined;
  return seconds <= LAST ? 'last' : 'tick';
}

function cueOfFace(before: View['face'], { face, win }: Moment): Cue | undefined {
  switch (face) {
    case 'open':
      return before === 'scheduled' ? 'go' : undefined;
    case 'won':
      return before === 'connecting' || win?.old ? undefined : 'win';
    case 'missed':
    case 'gone':
      return before === 'open' || before === 'asking' ? 'miss' : undefined;
    case 'too_late':
      return before === 'asking' ? 'miss' : undefined;
    default:
      return undefined;
  }
}
