import { z } from 'zod';
import { CLIENT_MESSAGES } from './messages.ts';
import { SERVER_MESSAGES } from './serverMessages.ts';

/** The parts of a JSON schema that this file reads. */
interface FieldSchema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, FieldSchema>;
  required?: string[];
  items?: FieldSchema;
  [more: string]: unknown;
}

/**
 * The schema that a sender must follow. Client messages allow no unknown fields. Server messages may have more fields
 * than listed.
 */
export function schemaOf(message: z.ZodType): FieldSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(message, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  return schema as FieldSchema;
}

/** All messages and their fields in Markdown, as shown in docs/reference/messages.md. */
export function fieldsMarkdown(): string {
  return [
    '### Messages you send',
    ...Object.values(CLIENT_MESSAGES).flatMap((message) => section(schemaOf(message))),
    '',
    '### Messages you receive',
    ...Object.values(SERVER_MESSAGES).flatMap((message) => section(schemaOf(message))),
  ].join('\n');
}

function section(schema: FieldSchema): string[] {
  const { type, ...fields } = schema.properties!;
  return [
    '',
    `**\`${String(type!.const)}\`** — ${schema.description ?? ''}`,
    '',
    '| field | is | |',
    '|---|---|---|',
    ...rows({ ...schema, properties: fields }, ''),
  ];
}

function rows({ properties = {}, required = [] }: FieldSchema, path: string): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const whole = `${path}${name}`;
    const description = field.description ?? '';
    // A rain inside `welcome` has the fields of `rain`, so they are not listed twice.
    const inner = description.includes('fields as in')
      ? []
      : field.items?.properties
        ? rows(field.items, `${whole}[].`)
        : rows(field, `${whole}.`);
    return [
      `| \`${whole}\`${required.includes(name) ? '' : ' (optional)'} | ${kindOf(field)} | ${description.replaceAll('|', '\\|')} |`,
      ...inner,
    ];
  });
}

function kindOf(field: FieldSchema): string {
  const { type, const: fixed, enum: choice, items } = field;
  if (fixed !== undefined) return `\`${JSON.stringify(fixed)}\``;
  if (choice) return choice.map((one) => `\`${JSON.stringify(one)}\``).join(', ');
  if (items) return `list of ${items.type ?? 'anything'}s`;
  const { pattern, maxLength } = field;
  if (typeof pattern === 'string') return `string, \`${pattern.replaceAll('|', '\\|')}\``;
  return `${type ?? 'anything'}${typeof maxLength === 'number' ? `, at most ${maxLength} characters` : ''}`;
}
