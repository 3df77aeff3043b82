import { bilingual } from '../../words/language.ts';

export const WORDS = bilingual({
  saveAs: 'Save as template', saveTitle: 'Save as template', save: 'Save', replace: 'Replace', title: 'Title of the template', titleHint: 'Only operators read it.',
  saveTold: 'It keeps everything of this rain except its start. It stands under “New rain”, for you and all other operators.',
  replaceTold: (title: string) => `There is a template “${title}” already. It will be replaced by this one.`, saved: (title: string) => `“${title}” is saved. It stands under “New rain”.`,
  template: 'Template', packetsOf: (packets: string, budget: string) => `${budget} in ${packets}`, chosen: (title: string) => `Template “${title}”`,
  invalid: 'No longer valid', invalidTold: 'It cannot be used as it is. Correct the form and save it anew, or remove it.',
  rename: 'Rename', renameTitle: (title: string) => `Rename the template “${title}”`, remove: 'Remove', removeTitle: (title: string) => `Remove the template “${title}”?`, removeTold: 'Rains that were created from it stay as they are.',
}, {
  saveAs: '存为模板', saveTitle: '存为模板', save: '保存', replace: '替换', title: '模板名称', titleHint: '只有操作员能看到。',
  saveTold: '保存这场红包雨除开始时间外的全部内容。所有操作员都能在“新建红包雨”中选用。',
  replaceTold: (title) => `已有模板“${title}”，将被替换。`, saved: (title) => `“${title}”已保存，可在“新建红包雨”中选用。`,
  template: '模板', packetsOf: (packets, budget) => `${budget}，${packets}`, chosen: (title) => `模板“${title}”`,
  invalid: '已失效', invalidTold: '无法直接使用：请更正表单后重新保存，或删除。',
  rename: '重命名', renameTitle: (title) => `重命名模板“${title}”`, remove: '删除', removeTitle: (title) => `删除模板“${title}”？`, removeTold: '已由它创建的红包雨不受影响。',
});
