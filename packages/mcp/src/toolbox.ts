/** A toolbox holds the tools of a server. Each tool is bound to the collection on which it acts. */
import type { Tool, ToolAnswer, ToolContext } from './tools/tool.ts';

type ToolTarget = Pick<ToolContext, 'api' | 'collection'>;
/** These values differ from call to call. */
export type ToolCall = Omit<ToolContext, keyof ToolTarget>;

export interface BoundTool extends Omit<Tool, 'run'> {
  run(args: never, call: ToolCall): Promise<ToolAnswer>;
}

export const bindTool = (tool: Tool, { api, collection }: ToolTarget): BoundTool => ({
  ...tool,
  run: (args, call) => tool.run(args, { ...call, api, collection }),
});

export interface Toolbox {
  /** The client gives these instructions to the model, together with the tools. */
  readonly instructions: string;
  /**
   * Returns a page of the tools. `cursor` is undefined for the first page, and the `next` of the previous page for a
   * further one. A list that may have several pages throws a ProtocolError for any other cursor.
   */
  list(cursor: string | undefined, signal: AbortSignal): Promise<ToolPage>;
  find(name: string, signal: AbortSignal): Promise<BoundTool | undefined>;
}

export interface ToolPage {
  readonly tools: readonly BoundTool[];
  readonly next?: string;
}
