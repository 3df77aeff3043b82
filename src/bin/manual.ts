import type { Argument, Command, Option } from 'commander';
import { RainCommand } from './command.ts';

const HEAD = `# The command line

Generated from the commands by \`npm run docs\`; \`rain manual\` prints the same. In a clone, \`rain\` is \`npm run rain --\`. The command line
and the console have the same actions.

Exit codes: 0 done, 1 refused or not balanced, 2 wrong usage, 3 a server is unreachable. With \`--json\` stdout is one JSON value; a
refusal is \`{"ok":false,"exit":1,"reasons":[…]}\`. Progress goes to stderr. Where neither \`REDIS_URL\` nor \`DATABASE_URL\` is set, commands
talk to the system that \`npm start\` runs in this folder.
`;

export function manual(program: Command): string {
  const all = commandsOf(program);
  const list = all.map(
    ({ path, command }) => `| [\`${path}\`](#${path.replaceAll(' ', '-')}) | ${cell(command.summary())} |`,
  );
  return `${[HEAD, '| command | |', '|---|---|', ...list].join('\n')}\n\n${all.map(section).join('\n\n')}\n`;
}

interface Documented {
  /** `rain dead list` */
  path: string;
  command: Command;
}

/** All commands that can be run, also those of groups; without the groups themselves and without hidden commands. */
export function commandsOf(program: Command, path = program.name()): Documented[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) =>
      command.commands.length > 0
        ? commandsOf(command, `${path} ${command.name()}`)
        : [{ path: `${path} ${command.name()}`, command }],
    );
}

export function examplesOf(command: Command): readonly string[] {
  return command instanceof RainCommand ? command.examples : [];
}

function section({ path, command }: Documented): string {
  const args = command.registeredArguments.map((argument) => ` ${placeholder(argument)}`).join('');
  const rows = [
    ...command.registeredArguments
      .filter(({ description }) => description !== '')
      .map((argument) => [placeholder(argument), argument.description, tail(argument)]),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => [option.flags, option.description, tail(option)]),
  ];
  const options =
    rows.length === 0
      ? ''
      : `\n\n| | |\n|---|---|\n${rows.map(([name, words, more]) => `| \`${cell(name!)}\` | ${cell(`${words}${more}`)} |`).join('\n')}`;
  return `## ${path}\n\n\`${path}${args}${command.options.length > 0 ? ' [options]' : ''}\`\n\n${command.description()}${options}\n\n${examplesOf(
    command,
  )
    .map((line) => `    ${line}`)
    .join('\n')}`;
}

function placeholder(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}

function tail({ argChoices, defaultValue, defaultValueDescription, ...rest }: Argument | Option): string {
  const notes = [
    ...('mandatory' in rest && rest.mandatory ? ['required'] : []),
    ...(argChoices ? [argChoices.join(', ')] : []),
    ...(defaultValue === undefined ||
    defaultValue === true ||
    defaultValue === false ||
    (Array.isArray(defaultValue) && defaultValue.length === 0)
      ? []
      : [`default ${defaultValueDescription ?? String(defaultValue)}`]),
  ];
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
