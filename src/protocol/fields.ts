import { z } from 'zod';
import { CLIENT_MESSAGES } from './messages.ts';
import { SERVER_MESSAGES } from './serverMessages.ts';

/** A JSON schema as far as it is read here. */
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

/** What a sender has to keep to: of our own messages no other fields, of the server's those that we know. */
export function schemaOf(message: z.ZodType): FieldSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(message, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  return schema as FieldSchema;
}

/** Every message with its fields, as docs/reference/messages.md shows them, in Markdown. */
export function fieldsMarkdown(): string {
  return [
    '### What you say', ...Object.values(CLIENT_MESSAGES).flatMap((message) => section(schemaOf(message))),
    '', '### What you hear', ...Object.values(SERVER_MESSAGES).flatMap((message) => section(schemaOf(message))),
  ].join('\n');
}

function section(schema: FieldSchema): string[] {
  const { type, ...fields } = schema.properties!;
  return [
    '', `**\`${String(type!.const)}\`** — ${schema.description ?? ''}`,
    '', '| field | is | |', '|---|---|---|',
    ...rows({ ...schema, properties: fields }, ''),
  ];
}

function rows({ properties = {}, required = [] }: FieldSchema, path: string): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const whole = `${path}${name}`;
    const told = field.description ?? '';
    // A rain within `welcome` has the fields of a rain.
    const inner = told.includes('fields as in') ? [] : field.items?.properties ? rows(field.items, `${whole}[].`) : rows(field, `${whole}.`);
    return [`| \`${whole}\`${required.includes(name) ? '' : ' (optional)'} | ${kindOf(field)} | ${told.replaceAll('|', '\\|')} |`, ...inner];
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
