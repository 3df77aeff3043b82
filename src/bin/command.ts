import { Command, type Option, type ParseOptionsResult } from 'commander';
import type { SystemContext } from '../operator/system.ts';
import { durationTyped, parseDuration } from './arguments.ts';
import { paint } from './style.ts';
import type { OpenContext } from './context.ts';
import { ActionRefused, CommandFailure, EXIT, print } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** The output of a command: the value with `--json`, the text otherwise. */
export interface Answer {
  value: unknown;
  text: string;
  /** Absent: the exit code does not change. */
  exit?: (typeof EXIT)[keyof typeof EXIT] | false;
}

type Answered = Answer | void | Promise<Answer | void>;

/**
 * A command of `rain`, with the options that many commands share. Its verbs get the arguments and the options as
 * Commander parses them.
 */
export class RainCommand extends Command {
  readonly terminal: Terminal;
  readonly examples: string[] = [];
  /** Commander has it, and its types do not: refuses an option, and names the nearest real one. */
  declare private readonly unknownOption: (typed: string) => never;

  constructor(terminal: Terminal, name?: string) {
    super(name);
    this.terminal = terminal;
  }

  override createCommand(name?: string): RainCommand {
    return new RainCommand(this.terminal, name);
  }

  /** A mistyped option is refused before the required one that it may have been meant for is missed. */
  override parseOptions(words: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(words);
    const [mistyped] = parsed.unknown;
    const isGroup = this.commands.length > 0;
    if (!isGroup && mistyped !== undefined && !parsed.unknown.some((word) => word === '--help' || word === '-h'))
      this.unknownOption(mistyped.split('=')[0]!);
    return parsed;
  }

  /** A default length of time stands in the help as people type it. */
  override addOption(option: Option): this {
    const { parseArg, defaultValue } = option;
    if (parseArg === (parseDuration as typeof parseArg) && typeof defaultValue === 'number')
      option.default(defaultValue, durationTyped(defaultValue));
    return super.addOption(option);
  }

  json(meaning = 'print JSON'): this {
    return this.option('--json', meaning);
  }

  /** For every command that moves money or causes a movement of money. */
  dryRun(): this {
    return this.option('--dry-run', 'report what would be done, or why not, and change nothing');
  }

  example(...lines: string[]): this {
    this.examples.push(...lines);
    return this.addHelpText('after', ['\nExample:', ...lines].join('\n  '));
  }

  /** A refusal names an option as it is typed, `--in`, and not as a field of a request. */
  override action(verb: Parameters<Command['action']>[0]): this {
    const flagOf = (field: string) =>
      this.registeredArguments.some((argument) => argument.name() === field)
        ? field
        : (this.options.find((option) => option.attributeName() === field)?.long ?? field);
    return super.action(async (...args: unknown[]) => {
      try {
        await verb.apply(this, args);
      } catch (error) {
        throw error instanceof ActionRefused ? error.named(flagOf) : error;
      }
    });
  }

  /** @param misuse says what is wrong with the arguments and options, before any server is contacted */
  refuses<Args extends unknown[]>(misuse: (...args: Args) => string | undefined): this {
    return this.hook('preAction', () => {
      const reason = misuse(...([...this.processedArgs, this.opts()] as Args));
      if (reason !== undefined) throw new CommandFailure(EXIT.usage, reason);
    });
  }

  runs<Args extends unknown[]>(verb: (...args: Args) => Answered): this {
    return this.action(async (...args) => this.#print(await verb(...(args as Args))));
  }

  /** Opens Redis and the ledger for the verb. Loaded on demand, as the queues are: some commands need no server. */
  runsWithContext<Args extends unknown[]>(verb: (context: OpenContext, ...args: Args) => Answered): this {
    return this.action(async (...args) => {
      const { withContext } = await import('./context.ts');
      await withContext(this.terminal, async (context) => this.#print(await verb(context, ...(args as Args))));
    });
  }

  runsWithQueues<Args extends unknown[]>(verb: (context: SystemContext, ...args: Args) => Answered): this {
    return this.runsWithContext(async (context, ...args: Args) => {
      const { withQueues } = await import('./queues.ts');
      return withQueues(context, async (at) => verb(at, ...args));
    });
  }

  /** The last line marks a dry run, so that nobody takes it for the action. */
  #print(answer: Answer | void): void {
    if (!answer) return;
    const { json, dryRun } = this.opts<{ json?: boolean; dryRun?: boolean }>();
    const { value, text, exit } = answer;
    if (dryRun)
      print(
        this.terminal,
        json,
        { dryRun, ...(value as object) },
        `${text}\n${paint.quiet('dry run: nothing was changed')}`,
      );
    else print(this.terminal, json, value, text);
    if (exit) this.terminal.exitCode = exit;
  }
}
