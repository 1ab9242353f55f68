/** Which tools a server has. Each of them knows already where it acts. */
import type { Tool, ToolAnswer, ToolContext } from './tools/tool.ts';

type Where = Pick<ToolContext, 'api' | 'collection'>;
/** What differs from call to call. */
export type ToolCall = Omit<ToolContext, keyof Where>;

export interface PlacedTool extends Omit<Tool, 'run'> {
  run(args: never, call: ToolCall): Promise<ToolAnswer>;
}

export const placed = (tool: Tool, { api, collection }: Where): PlacedTool => ({
  ...tool,
  run: (args, call) => tool.run(args, { ...call, api, collection }),
});

export interface Toolbox {
  /** For the model, before it looks at any tool. */
  readonly instructions: string;
  /** A page of the tools; `cursor` is `next` of the page before. Throws a ProtocolError for any other. */
  list(cursor: string | undefined, signal: AbortSignal): Promise<ToolPage>;
  find(name: string): PlacedTool | undefined;
}

export interface ToolPage {
  readonly tools: readonly PlacedTool[];
  readonly next?: string;
}
