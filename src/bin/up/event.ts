import { networkInterfaces, type NetworkInterfaceInfo } from 'node:os';
import { renderUnicodeCompact } from 'uqr';
import type { Shutdown } from '../../platform/process/shutdown.ts';
import { openContext } from '../context.ts';
import { CommandFailure, EXIT, notify } from '../exit.ts';
import { wantsPaint } from '../style.ts';
import type { Terminal } from '../terminal.ts';
import { atHost, FIRST_OPERATOR, PASSWORD_KEPT, patienceOf, startSystem, type EventOptions } from './system.ts';

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/** Bridges of containers and virtual machines, and tunnels: no phone comes that way. */
const VIRTUAL = /^(?:docker|br-|veth|virbr|vmnet|tun|tap|wg|utun)/;

/** Light modules around the code; scanners ask for some. */
const QUIET_ZONE = 2;

/**
 * The addresses of this machine that phones in its network can reach; IPv4, since a link-local IPv6 address needs a
 * zone.
 */
export function lanAddresses(interfaces: Interfaces = networkInterfaces()): string[] {
  return Object.entries(interfaces)
    .flatMap(([name, addresses = []]) => (VIRTUAL.test(name) ? [] : addresses))
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
}

/**
 * A QR code, light on dark also where the terminal writes dark on light: not every phone reads the opposite. `notify`
 * lets no such colours through.
 */
function showCode(url: string, terminal: Terminal): void {
  const lines = renderUnicodeCompact(url, { border: QUIET_ZONE }).split('\n');
  const isPainted = wantsPaint(terminal, terminal.stderr);
  for (const line of lines) terminal.stderr.write(isPainted ? `\x1b[97;40m${line}\x1b[0m\n` : `${line}\n`);
}

/** People on the list of participants. */
async function countListed(terminal: Terminal, servers: Parameters<typeof openContext>[0]): Promise<number> {
  const context = await openContext(servers, 'up', patienceOf(terminal));
  try {
    return (await context.ledger.countParticipants()).total;
  } finally {
    await context.close();
  }
}

/** Starts the system for an evening with guests, and says where they find it. Returns when all servers are open. */
export async function upForEvent(
  terminal: Terminal,
  event: Omit<EventOptions, 'address'>,
  shutdown: Shutdown,
  addresses = lanAddresses(),
): Promise<void> {
  const [address] = addresses;
  if (address === undefined)
    throw new CommandFailure(
      EXIT.refused,
      '--event: this machine has no address in a network, so no phone can reach it; connect it to the Wi-Fi of the guests',
    );
  const { pageUrl, consoleUrl, password, redisUrl, databaseUrl, signingSecret } = await startSystem(
    terminal,
    shutdown,
    { demo: false, event: { ...event, address } },
  );
  const listed = await countListed(terminal, {
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    SIGNING_SECRET: signingSecret,
  });
  const pages = addresses.map((one) => atHost(one, pageUrl));
  const consolePage = `${event.consoleOnLan ? atHost(address, consoleUrl) : `${consoleUrl}/`}console/`;
  notify(terminal, `\n${event.title}\n`);
  showCode(pages[0]!, terminal);
  notify(
    terminal,
    [
      '',
      `guests   ${pages.join('\n         ')}`,
      event.participantsOnly
        ? '         only people on the list of participants may play, each with a code; import the list under Participants in the console, and print the cards'
        : `         anybody in this network may play; each phone is one guest, and asks for a name${listed > 0 ? `\n         THE CODES OF THE ${listed} PEOPLE ON THE LIST ARE NOT ASKED FOR: start it with --participants if only they may play` : ''}`,
      `hall     ${pages[0]}hall`,
      '         the screen for everybody: the QR code, the countdown, the rain, the luckiest; it needs no sign-in',
      `console  ${consolePage}`,
      password === undefined
        ? `         ${PASSWORD_KEPT}`
        : `         ${FIRST_OPERATOR} / ${password}   told once; change it under your name`,
      event.consoleOnLan
        ? '         other devices reach it, too, over plain HTTP: whoever can listen to this network sees the password. Use a Wi-Fi with a password of its own'
        : '         on this machine only; --console-on-lan opens it to other devices',
      '',
      'serving until Ctrl-C',
    ].join('\n'),
  );
}
