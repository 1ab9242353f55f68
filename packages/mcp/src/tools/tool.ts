/** What a tool is: one file each beside this one. */
import type {
  CallToolResult,
  Tool as ListedTool,
  ResourceLink,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Api, ApiError } from '../api.ts';
import { brief } from '../brief.ts';

/** What a call acts on. */
export interface ToolContext {
  readonly api: Api;
  /** readable_id. */
  readonly collection: string;
  readonly signal: AbortSignal;
  /** Of the text of an answer with its links, and of its data. */
  readonly maxTokens: number;
}

export interface ToolAnswer {
  /** What the model reads. */
  readonly text: string;
  /** To what the text speaks of. */
  readonly links?: readonly ResourceLink[];
  /** The same for programs, in the form of `output`. */
  readonly data: Record<string, unknown>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** The arguments are as `input` gives them. */
  run(args: never, scene: ToolContext): Promise<ToolAnswer>;
}

/** Keeps the types of the arguments and of `run` together. */
export const defineTool = <Input extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input;
    run(args: z.infer<Input>, scene: ToolContext): Promise<ToolAnswer>;
  },
): Tool => tool;

/** Throws what the API would say of a name that no collection can have: as a part of a path it could lead elsewhere. */
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

/** Made once: zod takes a while. */
function schemaOf(shape: z.ZodObject, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const known = schemas.get(shape);
  if (known) return known;
  // Clients without the dialect that it names refuse a schema, and its default is the same.
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, override: withoutLimits });
  const made = schema as ListedTool['inputSchema'];
  schemas.set(shape, made);
  return made;
}

/** Those of every JavaScript integer, which tell a model nothing. */
function withoutLimits({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** `withLinks`: whether the client knows of such. */
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
