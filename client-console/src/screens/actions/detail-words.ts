import type { DetailField } from '../../../../src/rain/actionDetails.ts';
import { bilingual } from '../../words/language.ts';

/** What the fields of an action's details are called. */
export const DETAIL_WORDS = bilingual<Record<DetailField, string>>({
  title: 'title', name: 'name', label: 'label', role: 'role', kind: 'kind', who: 'who', userId: 'user', pseudonym: 'pseudonym', address: 'from', code: 'with a wrong code', position: 'position', verb: 'action', askedBy: 'asked for by', campaignId: 'campaign', winnersOf: 'winners of', buyersOf: 'buyers of', round: 'round', topUp: 'top-up number',
  template: 'template', theme: 'theme', sender: 'sender', from: 'from', blessing: 'blessing', prizes: 'for large wins', colours: 'colours', isDefault: 'default theme',
  budget: 'budget', packets: 'packets', amount: 'amount', to: 'to', keeps: 'keeps it', sku: 'item', units: 'units', quantity: 'quantity', items: 'items', holdMs: 'time to pay', perUserMax: 'units per user', winsPerUser: 'wins per user', tickets: 'tickets', proofOfWork: 'proof of work',
  rehearsal: 'rehearsal', excludeEarlierWinners: 'excludes earlier winners', unlisted: 'unlisted', invitedOnly: 'by invitation', winsMax: 'wins allowed', opensAt: 'opens', closesAt: 'closes', until: 'until', expiresAt: 'expires',
  added: 'added', changed: 'changed', removed: 'removed', excluded: 'excluded', readmitted: 'readmitted', rows: 'rows', count: 'how many', claims: 'claims', reservations: 'reservations', statuses: 'statuses', imported: 'winners imported', lost: 'lost', lostTopUp: 'lost top-up', unknown: 'unknown to the database', told: 'wins told', paid: 'paid', outcome: 'outcome', deadReason: 'why it failed', reason: 'reason', held: 'held',
  differences: 'differences', counts: 'counts', fields: 'fields', found: 'found', findings: 'findings', problems: 'problems', wins: 'wins', letters: 'letters', orderId: 'order', letter: 'letter', redPacketId: 'packet', approval: 'approval', id: 'id', session: 'session', token: 'token', signedBy: 'signed by', commitment: 'commitment', seed: 'seed',
}, {
  title: '名称', name: '名字', label: '标签', role: '角色', kind: '类型', who: '对象', userId: '用户', pseudonym: '化名', address: '来自', code: '验证码错误', position: '状态', verb: '操作', askedBy: '申请人', campaignId: '系列活动', winnersOf: '中奖者来自', buyersOf: '买家来自', round: '场次', topUp: '第几次追加',
  template: '模板', theme: '主题', sender: '署名', from: '金额不低于', blessing: '祝福语', prizes: '大奖祝福语', colours: '颜色', isDefault: '默认主题',
  budget: '预算', packets: '红包数', amount: '金额', to: '转入', keeps: '保留于', sku: '商品', units: '数量', quantity: '件数', items: '商品', holdMs: '支付时限', perUserMax: '每人限购', winsPerUser: '每人可中', tickets: '门票', proofOfWork: '工作量证明',
  rehearsal: '彩排', excludeEarlierWinners: '排除已中奖者', unlisted: '不公开列出', invitedOnly: '仅限受邀', winsMax: '中奖上限', opensAt: '开始', closesAt: '结束', until: '截止', expiresAt: '到期',
  added: '新增', changed: '更改', removed: '移除', excluded: '排除', readmitted: '取消排除', rows: '行数', count: '数量', claims: '领取数', reservations: '预订数', statuses: '状态数', imported: '导入的中奖者', lost: '丢失', lostTopUp: '丢失的追加', unknown: '数据库中没有', told: '已告知的中奖', paid: '已支付', outcome: '结果', deadReason: '失败原因', reason: '原因', held: '冻结',
  differences: '差异', counts: '计数', fields: '字段', found: '发现', findings: '发现', problems: '问题', wins: '中奖', letters: '死信', orderId: '订单', letter: '死信', redPacketId: '红包', approval: '审批', id: '编号', session: '登录', token: '令牌', signedBy: '签名者', commitment: '承诺值', seed: '种子',
});

/** Values that stand for one of a few things. */
export const VALUE_WORDS = bilingual<Record<string, string>>({
  user: 'user', address: 'address or network', on: 'on', off: 'off', auto: 'auto', pressure: 'under load', always: 'always', operator: 'operator', viewer: 'viewer', credited: 'credited after all', true: 'yes', false: 'no',
  ticker: 'names of winners', joins: 'joining', sockets: 'new connections', grabs: 'grabs',
}, {
  user: '用户', address: '地址或网段', on: '开', off: '关', auto: '自动', pressure: '负载高时', always: '始终', operator: '操作员', viewer: '只读', credited: '最终已入账', true: '是', false: '否',
  ticker: '中奖滚动', joins: '进入', sockets: '新连接', grabs: '抢红包',
});
