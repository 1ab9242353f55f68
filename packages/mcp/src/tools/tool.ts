/** This file has the interface of a tool. Each tool has a file of its own in this folder. */
import type {
  CallToolResult,
  Tool as ListedTool,
  ResourceLink,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Api, ApiError } from '../api.ts';
import { brief } from '../brief.ts';

/** This is what a call of a tool needs besides its arguments. */
export interface ToolContext {
  readonly api: Api;
  /** This is the readable_id of the collection. */
  readonly collection: string;
  readonly signal: AbortSignal;
  /** The limit applies to the text of an answer together with its links, and separately to its data. */
  readonly maxTokens: number;
}

export interface ToolAnswer {
  /** The model reads this text. */
  readonly text: string;
  /** These are links to the records in the text. */
  readonly links?: readonly ResourceLink[];
  /** This is the same answer for programs, in the form of `output`. */
  readonly data: Record<string, unknown>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** `args` are the arguments that `input` has parsed. */
  run(args: never, context: ToolContext): Promise<ToolAnswer>;
}

/** Lets the compiler check that `run` takes the arguments that `input` describes. */
export const defineTool = <Input extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input;
    run(args: z.infer<Input>, context: ToolContext): Promise<ToolAnswer>;
  },
): Tool => tool;

/**
 * Returns the path of the collection in the API. Throws the API's 404 for a name that cannot be a readable_id, because
 * such a name could make the path lead to another route.
 */
export function collectionPath(collection: string): string {
  if (!/^[a-z0-9-]+$/.test(collection))
    throw new ApiError(404, `collection '${collection}' does not exist`);
  return `/v1/collections/${collection}`;
}

export const listed = ({
  name,
  title,
  description,
  input,
  output,
}: Omit<Tool, 'run'>): ListedTool => ({
  name,
  title,
  description,
  inputSchema: schemaOf(input, 'input'),
  outputSchema: schemaOf(output, 'output'),
  annotations: { title, readOnlyHint: true, idempotentHint: true, openWorldHint: false },
});

const schemas = new WeakMap<z.ZodObject, ListedTool['inputSchema']>();

/** The JSON Schema of a zod object is made only once, because making it is slow. */
function schemaOf(shape: z.ZodObject, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const known = schemas.get(shape);
  if (known) return known;
  // `$schema` is left out, because some clients refuse a schema whose `$schema` they do not know. It would only name the
  // default dialect.
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, override: withoutLimits });
  const made = schema as ListedTool['inputSchema'];
  schemas.set(shape, made);
  return made;
}

/** Removes the limits of JavaScript's safe integers, which are useless for a model. */
function withoutLimits({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** `withLinks` must be true when the client supports links to resources. */
export const success = (
  { text, data, links = [] }: ToolAnswer,
  withLinks: boolean,
): CallToolResult => ({
  content: [{ type: 'text', text }, ...(withLinks ? links : [])],
  structuredContent: data,
});

export const failure = (text: string): CallToolResult => ({
  content: [{ type: 'text', text: brief(text) }],
  isError: true,
});
