import { counted, countText } from '../../words/figures.ts';
import { bilingual } from '../../words/language.ts';

/** The words of the list of participants. */
export const WORDS = bilingual(
  {
    title: 'Participants',
    told: 'Participants come in by a personal code, from a card or by a link. So you know who has won.',
    counts: (total: number, entered: number) =>
      `${counted(total, 'participant')} on the list · ${countText(entered)} came in`,
    none: 'Nobody is on the list',
    noneTold:
      'The list says who may come in, each by a personal code. Import a file (.xlsx or CSV) with the columns number, name and, if you like, department.',
    noMatch: 'No such participant on the list',
    noMatchTold: 'Enter a part of a number, a name or a department.',
    search: 'Search for a number, a name or a department',
    number: 'Number',
    name: 'Name',
    department: 'Department',
    entered: 'Came in',
    notYet: 'not yet',
    acts: 'Change',
    cards: 'Cards to print',
    importTitle: 'Import a list',
    file: 'List (.xlsx or CSV)',
    import: 'Import',
    columns: 'An .xlsx or a CSV file with the columns number, name and, if you like, department; or 工号, 姓名, 部门.',
    importTold:
      'Names and departments of participants on the list are changed. Nobody is removed, and codes stay. A number never changes hands: remove it first.',
    imported: (added: number, changed: number, unchanged: number) =>
      `${countText(added)} added, ${countText(changed)} changed, ${countText(unchanged)} unchanged`,
    renew: 'New code',
    renewTitle: (name: string) => `Give ${name} a new code?`,
    renewTold:
      'The old code ends at once: its card and its link let nobody in any more. A phone that came in by it stays in for two hours at most.',
    renewedTitle: (name: string) => `The new code of ${name}`,
    renewedTold: 'Give it, or the link, to nobody else. It is on the card, too.',
    link: 'Personal link',
    card: 'Print the card',
    rename: 'They are the same people: change the names',
    noCodes: 'Nobody comes in by a code at present. Start the system with --participants.',
    removeAll: 'Remove all',
    removeAllTitle: 'Remove everybody from the list?',
    removeAllTold:
      'All codes end at once. What was won stays. Do this before you import the list of another event: added again, a number with another name is another person.',
    userId: 'The user is',
    remove: 'Remove',
    removeTitle: (name: string) => `Remove ${name} from the list?`,
    removeTold:
      'The code ends at once. What was won stays. A phone that came in by it stays in for two hours at most; block the user to end that at once.',
  },
  {
    title: '参与者名单',
    told: '参与者凭个人入场码入场：扫卡片或打开链接。这样就知道中奖的是谁。',
    counts: (total, entered) => `名单共 ${countText(total)} 人 · 已入场 ${countText(entered)} 人`,
    none: '名单上还没有人',
    noneTold: '名单上的人各凭自己的入场码入场。请导入 .xlsx 或 CSV 文件，列名为工号、姓名，可另有部门。',
    noMatch: '名单上没有这位参与者',
    noMatchTold: '请输入工号、姓名或部门的一部分。',
    search: '搜索工号、姓名或部门',
    number: '工号',
    name: '姓名',
    department: '部门',
    entered: '入场时间',
    notYet: '未入场',
    acts: '操作',
    cards: '打印卡片',
    importTitle: '导入名单',
    file: '名单（.xlsx 或 CSV）',
    import: '导入',
    columns: '.xlsx 或 CSV 文件，列名为工号、姓名，可另有部门；也可用 number、name、department。',
    importTold: '名单上已有的人会更新姓名和部门。不会移除任何人，入场码不变。工号不可转给他人：请先移除。',
    imported: (added, changed, unchanged) =>
      `新增 ${countText(added)} 人，更新 ${countText(changed)} 人，未变 ${countText(unchanged)} 人`,
    renew: '更换入场码',
    renewTitle: (name) => `为 ${name} 更换入场码？`,
    renewTold: '旧入场码立即失效：旧卡片和旧链接不能再入场。已用它入场的手机最多再留两小时。',
    renewedTitle: (name) => `${name} 的新入场码`,
    renewedTold: '入场码和链接只能交给本人。卡片上也有。',
    link: '个人链接',
    card: '打印这张卡片',
    rename: '是同一批人：更改姓名',
    noCodes: '目前不接受入场码。请用 --participants 启动系统。',
    removeAll: '全部移除',
    removeAllTitle: '移除名单上的所有人？',
    removeAllTold:
      '所有入场码立即失效，已经抢到的仍归本人。导入另一场活动的名单前请先这样做：同一工号以另一姓名再次加入，视为另一人。',
    userId: '用户 ID：',
    remove: '移除',
    removeTitle: (name) => `把 ${name} 从名单中移除？`,
    removeTold: '入场码立即失效。已经抢到的仍归本人。已入场的手机最多再留两小时；如需立即停止，请封禁该用户。',
  },
);

/** The words of the cards to print. */
export const CARD_WORDS = bilingual(
  {
    title: 'Cards to print',
    told: 'A code lets in whoever has it: give each card to its participant only. Each opening of this page is in the audit log.',
    viewer: 'Only operators may see the codes',
    none: 'Nobody is on the list, so there are no cards.',
    print: 'Print',
    csv: 'Download CSV',
    tooMany: (most: string) => `More than ${most} cards: too many to print here. Download the CSV instead.`,
    pages: (cards: number, pages: number) => `${counted(cards, 'card')}: ${counted(pages, 'page')} of A4.`,
    outdated: (cards: number) =>
      `${counted(cards, 'card has', 'cards have')} no code: it was made with another SIGNING_SECRET. Give these participants a new code in the list.`,
    address: (address: string) => `The cards lead to ${address}. The machine must have this address at the event.`,
    loopback:
      'Phones cannot reach this address: open the console at the address of this machine in the network, or set PLAYER_PAGE_URL.',
    unreachable: 'No phone can reach this address',
    renew: 'Renew the code',
    open: 'Scan, or type the code at',
  },
  {
    title: '打印卡片',
    told: '谁拿到入场码，谁就能入场：每张卡片只能交给本人。每次打开本页都会记入操作日志。',
    viewer: '只有操作员可以查看入场码',
    none: '名单上还没有人，因此没有卡片。',
    print: '打印',
    csv: '下载 CSV',
    tooMany: (most) => `卡片超过 ${most} 张，无法在此打印，请下载 CSV。`,
    pages: (cards, pages) => `共 ${countText(cards)} 张卡片，A4 纸 ${countText(pages)} 页。`,
    outdated: (cards) =>
      `${countText(cards)} 张卡片没有入场码：它是用另一个 SIGNING_SECRET 生成的。请在名单中更换入场码。`,
    address: (address) => `卡片上的网址是 ${address}。活动当天这台电脑必须使用此地址。`,
    loopback: '手机无法访问此地址：请用本机在局域网中的地址打开控制台，或设置 PLAYER_PAGE_URL。',
    unreachable: '手机无法访问此地址',
    renew: '请更换入场码',
    open: '扫码，或在此网址输入入场码：',
  },
);
