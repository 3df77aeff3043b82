import type { Family } from '../family.ts';
import { audience } from './audience.ts';
import { claimsOfTokens } from './claims.ts';
import { commandsElsewhere } from './commandsElsewhere.ts';
import { frames } from './frames.ts';
import { guests } from './guests.ts';
import { hosts } from './hosts.ts';
import { liveStreams } from './liveStreams.ts';
import { machine } from './machine.ts';
import { messages } from './messages.ts';
import { oddText } from './oddText.ts';
import { oneAddress } from './oneAddress.ts';
import { otherSites } from './otherSites.ts';
import { others } from './others.ts';
import { passwords } from './passwords.ts';
import { paths } from './paths.ts';
import { proofOfWork } from './proofOfWork.ts';
import { replays } from './replays.ts';
import { roles } from './roles.ts';
import { scripts } from './scripts.ts';
import { sessions } from './sessions.ts';
import { signatures } from './signatures.ts';
import { slowSenders } from './slowSenders.ts';
import { smuggling } from './smuggling.ts';
import { starving } from './starving.ts';
import { tickets } from './tickets.ts';
import { unread } from './unread.ts';

/** All families, the slow ones first, so that nothing waits for them at the end. */
export const FAMILIES: readonly Family[] = [
  slowSenders,
  machine,
  starving,
  scripts,
  smuggling,
  unread,
  paths,
  guests,
  frames,
  messages,
  signatures,
  claimsOfTokens,
  audience,
  hosts,
  oneAddress,
  liveStreams,
  oddText,
  otherSites,
  commandsElsewhere,
  roles,
  sessions,
  passwords,
  others,
  replays,
  proofOfWork,
  tickets,
];
