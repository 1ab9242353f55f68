/** A toolbox has the tools of a server. Each tool already knows the collection on which it acts. */
import type { Tool, ToolAnswer, ToolContext } from './tools/tool.ts';

type Where = Pick<ToolContext, 'api' | 'collection'>;
/** These values differ from call to call. */
export type ToolCall = Omit<ToolContext, keyof Where>;

export interface PlacedTool extends Omit<Tool, 'run'> {
  run(args: never, call: ToolCall): Promise<ToolAnswer>;
}

export const placed = (tool: Tool, { api, collection }: Where): PlacedTool => ({
  ...tool,
  run: (args, call) => tool.run(args, { ...call, api, collection }),
});

export interface Toolbox {
  /** The model reads the instructions before it looks at any tool. */
  readonly instructions: string;
  /**
   * Gives a page of the tools. The `cursor` is the `next` of the page before. Throws a ProtocolError for any other
   * cursor.
   */
  list(cursor: string | undefined, signal: AbortSignal): Promise<ToolPage>;
  find(name: string): PlacedTool | undefined;
}

export interface ToolPage {
  readonly tools: readonly PlacedTool[];
  readonly next?: string;
}
