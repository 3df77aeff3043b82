import type { Argument, Command, Option } from 'commander';

const HEAD = `# The command line

Generated from the commands by \`npm run docs\`; \`rain manual\` prints the same. In a clone, \`rain\` is \`npm run rain --\`. Everything that the
console can do can be done here, and the other way round.

Exit codes: 0 done, 1 refused or not balanced, 2 wrong usage, 3 a server cannot be reached. With \`--json\` stdout is one JSON value; a
refusal is \`{"ok":false,"exit":1,"reasons":[…]}\`. Progress goes to stderr. Where neither \`REDIS_URL\` nor \`DATABASE_URL\` is set, commands
talk to the system that \`npm start\` runs in this folder.
`;

/** Every command of the program with its words, options and examples, as Markdown. */
export function manual(program: Command): string {
  const all = commandsOf(program);
  const list = all.map(({ path, command }) => `| [\`${path}\`](#${path.replaceAll(' ', '-')}) | ${cell(command.summary())} |`);
  return `${[HEAD, '| command | |', '|---|---|', ...list].join('\n')}\n\n${all.map(section).join('\n\n')}\n`;
}

interface Documented {
  /** `rain dead list` */
  path: string;
  command: Command;
}

/** Those that can be run, with those of a group; not the groups, nor what is hidden. */
export function commandsOf(program: Command, path = program.name()): Documented[] {
  return program.createHelp().visibleCommands(program).filter((command) => command.name() !== 'help')
    .flatMap((command) => (command.commands.length > 0 ? commandsOf(command, `${path} ${command.name()}`) : [{ path: `${path} ${command.name()}`, command }]));
}

/** Its examples, as they stand in its help; empty where it has none. */
export function examplesOf(command: Command): string[] {
  const told: string[] = [];
  const output = command.configureOutput();
  command.configureOutput({ ...output, writeOut: (text) => told.push(text) });
  command.outputHelp();
  command.configureOutput(output);
  const [, after = ''] = told.join('').split(/^Examples?:\n/m);
  return after.split('\n').filter((line) => line.startsWith('  ')).map((line) => line.trim());
}

function section({ path, command }: Documented): string {
  const args = command.registeredArguments.map((argument) => ` ${spelt(argument)}`).join('');
  const rows = [...command.registeredArguments.filter(({ description }) => description !== '').map((argument) => [spelt(argument), argument.description, tail(argument)]),
    ...command.options.filter(({ hidden }) => !hidden).map((option) => [option.flags, option.description, tail(option)])];
  const options = rows.length === 0 ? '' : `\n\n| | |\n|---|---|\n${rows.map(([name, words, more]) => `| \`${cell(name!)}\` | ${cell(`${words}${more}`)} |`).join('\n')}`;
  return `## ${path}\n\n\`${path}${args}${command.options.length > 0 ? ' [options]' : ''}\`\n\n${command.description()}${options}\n\n${examplesOf(command).map((line) => `    ${line}`).join('\n')}`;
}

function spelt(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

function tail({ argChoices, defaultValue, ...rest }: Argument | Option): string {
  const parts = [
    ...('mandatory' in rest && rest.mandatory ? ['required'] : []),
    ...(argChoices ? [argChoices.join(', ')] : []),
    ...(typeof defaultValue === 'number' && 'flags' in rest && rest.flags.includes('<time>') ? [`default ${defaultValue} ms`] : defaultValue === undefined || defaultValue === true || defaultValue === false || (Array.isArray(defaultValue) && defaultValue.length === 0) ? [] : [`default ${String(defaultValue)}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
