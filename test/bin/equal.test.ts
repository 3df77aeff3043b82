import { expect, test } from 'vitest';
import { commandsOf } from '../../src/bin/manual.ts';
import { openProgram } from '../../src/bin/program.ts';
import { openApi } from '../../src/console/openapi.ts';

/** The requests of the page, and the command that does the same. */
const SAME: Record<string, string> = {
  listRains: 'rain list',
  createRain: 'rain create',
  previewRain: 'rain preview',
  showRain: 'rain show',
  loadRain: 'rain load',
  pauseRain: 'rain pause',
  resumeRain: 'rain resume',
  closeRain: 'rain close',
  startRain: 'rain start',
  scheduleRain: 'rain schedule',
  topUpRain: 'rain top-up',
  setTickets: 'rain tickets',
  recycleRain: 'rain recycle',
  auditRain: 'rain audit',
  reconcileRain: 'rain reconcile',
  exportReconciliation: 'rain reconcile',
  verifyRain: 'rain verify',
  watchRain: 'rain show',
  listCampaigns: 'rain campaign list',
  createCampaign: 'rain campaign create',
  showCampaign: 'rain campaign show',
  excludeWinners: 'rain campaign exclude',
  excludeBuyers: 'rain campaign exclude',
  excludeListed: 'rain campaign exclude',
  readmit: 'rain campaign readmit',
  listWinners: 'rain winners',
  exportWinners: 'rain winners',
  listSales: 'rain sale list',
  createSale: 'rain sale create',
  keepItemPicture: 'rain sale picture',
  showSale: 'rain sale show',
  loadSale: 'rain sale load',
  startSale: 'rain sale start',
  pauseSale: 'rain sale pause',
  resumeSale: 'rain sale resume',
  endSale: 'rain sale end',
  topUpSale: 'rain sale top-up',
  setSaleTickets: 'rain sale tickets',
  auditSale: 'rain sale audit',
  repairSale: 'rain sale audit',
  acknowledgeSaleTampering: 'rain sale audit',
  writeOffSale: 'rain sale write-off',
  watchSale: 'rain sale show',
  listOrders: 'rain sale orders',
  exportOrders: 'rain sale orders',
  totalOrders: 'rain sale totals',
  payOrder: 'rain sale pay',
  cancelOrder: 'rain sale cancel',
  refundOrder: 'rain sale refund',
  listDeadLetters: 'rain dead list',
  requeueDeadLetter: 'rain dead requeue',
  discardDeadLetter: 'rain dead discard',
  listOrderDeadLetters: 'rain sale dead list',
  requeueOrderDeadLetter: 'rain sale dead requeue',
  requeueSaleDeadLetters: 'rain sale dead requeue',
  discardOrderDeadLetter: 'rain sale dead discard',
  listBlocks: 'rain blocks',
  block: 'rain block',
  unblock: 'rain unblock',
  listSwitches: 'rain switch',
  throwSwitch: 'rain switch',
  listApprovals: 'rain approvals list',
  approve: 'rain approvals approve',
  refuseApproval: 'rain approvals refuse',
  listParticipants: 'rain participants list',
  importParticipants: 'rain participants import',
  participantCards: 'rain participants codes',
  renewParticipant: 'rain participants renew',
  removeParticipants: 'rain participants remove',
  listThemes: 'rain theme list',
  setTheme: 'rain theme set',
  removeTheme: 'rain theme remove',
  setThemeFile: 'rain theme file',
  removeThemeFile: 'rain theme file',
  setGreeting: 'rain greeting',
  listTemplates: 'rain template list',
  saveTemplate: 'rain template save',
  removeTemplate: 'rain template remove',
  exportUser: 'rain user export',
  eraseUser: 'rain user erase',
  listActions: 'rain actions',
  listGateways: 'rain gateways',
  showSystem: 'rain system',
  listQueues: 'rain queues',
  listQueueJobs: 'rain queues',
  checkRestore: 'rain restore check',
  openapi: 'rain openapi',
  listSessions: 'rain operator sessions',
  endSession: 'rain operator end-session',
  changeOwnPassword: 'rain operator password',
};

/** Requests that only the page makes, and why. */
const PAGE_ONLY: Record<string, string> = {
  signIn: 'who has the addresses of Redis and the database is the operator already',
  whoAmI: 'the same',
  signOut: 'the same',
  beginTotp: 'the secret is for whom it belongs to, who then has to sign in with it',
  confirmTotp: 'the same',
};

/** Commands that only the command line has, and why. */
const COMMAND_ONLY: Record<string, string> = {
  'rain up': 'starts processes',
  'rain gateway': 'is a process',
  'rain worker': 'is a process',
  'rain console': 'is a process',
  'rain migrate': 'is there before the page is',
  'rain campaign add-round': 'the page says createRain with its campaign',
  'rain dead show': 'the page has all of a letter in its list',
  'rain sale dead show': 'the same',
  'rain template show': 'the page has all of a template in its list',
  'rain replay': 'rebuilds a rain for whoever mistrusts the rest',
  'rain write-off': 'gives up on what Redis has lost: for whoever can look into it',
  'rain restore apply': 'for whoever has brought a store back from a backup, and has its servers at hand',
  'rain restore import': 'the same',
  'rain token': 'signs with a secret that the page does not have',
  'rain operator add': 'who may sign in is not for those who are signed in',
  'rain operator list': 'the same',
  'rain operator role': 'the same',
  'rain operator disable': 'the same',
  'rain operator token': 'the same',
  'rain operator reset-totp': 'the same',
  'rain swarm': 'simulates players',
  'rain rehearse': 'simulates players',
  'rain doctor': 'looks at servers that the page needs itself',
  'rain preflight': 'measures this machine',
  'rain sale replay': 'rebuilds a sale for whoever mistrusts the rest',
  'rain codes': 'prints a document',
  'rain protocol': 'prints a document',
  'rain completion': 'is for a shell',
};

function operations(): string[] {
  const paths = Object.values(openApi()['paths'] as Record<string, Record<string, { operationId: string }>>);
  return paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
}

test('every action of the console has a command, or a stated reason why not', () => {
  expect(operations().filter((id) => SAME[id] === undefined && PAGE_ONLY[id] === undefined)).toEqual([]);
});

test('every command has an action in the console, or a stated reason why not', async () => {
  const paths = commandsOf(await openProgram()).map(({ path }) => path);
  const same = new Set(Object.values(SAME));
  expect(paths.filter((path) => !same.has(path) && COMMAND_ONLY[path] === undefined)).toEqual([]);
});

test('the tables name nothing that is gone, and nothing twice', async () => {
  const paths = new Set(commandsOf(await openProgram()).map(({ path }) => path));
  const asked = new Set(operations());
  expect([...Object.keys(SAME), ...Object.keys(PAGE_ONLY)].filter((id) => !asked.has(id))).toEqual([]);
  expect([...Object.values(SAME), ...Object.keys(COMMAND_ONLY)].filter((path) => !paths.has(path))).toEqual([]);
  expect(Object.keys(PAGE_ONLY).filter((id) => SAME[id] !== undefined)).toEqual([]);
  expect(Object.keys(COMMAND_ONLY).filter((path) => Object.values(SAME).includes(path))).toEqual([]);
});
