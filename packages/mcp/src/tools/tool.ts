/** This file says what a tool is; each tool has a file of its own beside this one. */
import type {
  CallToolResult,
  Tool as ListedTool,
  ResourceLink,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Api, ApiError } from '../api.ts';
import { brief } from '../brief.ts';

/** A call acts on this collection through this API. */
export interface ToolContext {
  readonly api: Api;
  /** The collection is named by its readable_id. */
  readonly collection: string;
  readonly signal: AbortSignal;
  /** The limit holds for the text of an answer with its links, and for its data. */
  readonly maxTokens: number;
}

export interface ToolAnswer {
  /** The model reads this text. */
  readonly text: string;
  /** The links lead to the records that the text is about. */
  readonly links?: readonly ResourceLink[];
  /** The data are the same for programs, in the form of `output`. */
  readonly data: Record<string, unknown>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** The arguments are those that `input` has parsed. */
  run(args: never, scene: ToolContext): Promise<ToolAnswer>;
}

/** Keeps the types of the arguments and of `run` together. */
export const defineTool = <Input extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input;
    run(args: z.infer<Input>, scene: ToolContext): Promise<ToolAnswer>;
  },
): Tool => tool;

/**
 * Throws the error that the API would give for a name that no collection can have, because such a name, as a part
 * of a path, could lead to another route.
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

/** A schema is made only once, because zod takes a while. */
function schemaOf(shape: z.ZodObject, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const known = schemas.get(shape);
  if (known) return known;
  // Clients that do not know the dialect named in `$schema` refuse the schema, and the default dialect is the same
  // one.
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, override: withoutLimits });
  const made = schema as ListedTool['inputSchema'];
  schemas.set(shape, made);
  return made;
}

/** Removes the limits that every JavaScript integer has, because they tell a model nothing. */
function withoutLimits({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** The flag `withLinks` is true when the client knows links to resources. */
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
