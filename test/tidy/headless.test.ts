import { expect, test } from 'vitest';
import { headlessIn, ratchet } from './headless.ts';
import { commentBlocks, messageBlocks, proseBlocks, type Block } from './prose.ts';
import type { SourceFile } from './sourceFile.ts';

const found = (path: string, text: string, blocks: (file: SourceFile) => Block[]) =>
  headlessIn({ path, text }, blocks({ path, text })).map(({ where, sentence }) => `${where} ${sentence}`);
const comments = (text: string, path = 'a.ts') => found(path, text, commentBlocks);
const messages = (text: string) => found('a.ts', text, messageBlocks);
const prose = (text: string) => found('a.md', text, proseBlocks);

test('a headless sentence of a comment is found at its line, one that a line break only continues is none', () => {
  expect(comments('// A user waits.\n// What is left\n// is told.')).toEqual(['a.ts:2 What is left is told.']);
  expect(comments('// The user hears\n// what is left of it.')).toEqual([]);
  expect(comments('/**\n * A user waits. Those who pay\n * go on.\n */')).toEqual(['a.ts:2 Those who pay go on.']);
  expect(comments('/** @param id of the user it names */')).toEqual(['a.ts:1 of the user it names']);
  expect(comments('const a = 1; // of the rain or sale')).toHaveLength(1);
  expect(comments('/* Whoever is shown here */', 'a.css')).toHaveLength(1);
  expect(comments('-- WHY     Of two workers one waits.\n-- a = 1', 'a.lua')).toHaveLength(1);
  expect(comments("const a = '// What is left here';")).toEqual([]);
});

test('a question, "that" before a noun and a heading of a column are no headless sentences', () => {
  expect(comments('// What is left of it?\n\n// That key is gone now.\n\n// Of course it is.')).toEqual([]);
  expect(comments('// That is what it does.')).toHaveLength(1);
  expect(prose('| What | Who hears it | |\n')).toEqual([]);
});

test('the first text of a log message is looked at, in both of its forms', () => {
  expect(messages("log.warn({ a }, 'who is it that came'); log.info('a user came');")).toHaveLength(1);
  expect(messages("this.#log.error({}, late ? `of ${n} none came` : 'none came');")).toHaveLength(1);
  expect(messages("notify(terminal, 'of these ' + n + ' came');")).toHaveLength(1);
  expect(messages("ask(terminal, 'of these none came');")).toEqual([]);
});

test('paragraphs, bullets, headings and cells of a page are looked at, its code is not', () => {
  expect(prose('# Of rains and sales\n\nA user\nwaits. **What is left** is told.\n')).toHaveLength(2);
  expect(prose('- Those who pay go on\n- a user,\n  who pays\n\n| a | What is left here |\n')).toHaveLength(2);
  expect(prose('```\nWhat is left here\n```\n')).toEqual([]);
});

test('the count is held at its limit from both sides', () => {
  const some = (count: number) => Array.from({ length: count }, () => ({ where: 'a.ts:1', sentence: 'What is left.' }));
  expect(ratchet('comments', some(2), 2)).toEqual([]);
  expect(ratchet('comments', some(1), 2)).toEqual([expect.stringContaining('lower the limit to 1')]);
  expect(ratchet('comments', some(30), 2)).toHaveLength(21);
});
