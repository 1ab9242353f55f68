/** Which tools a server has. Each of them knows already where it acts. */
import type { Answer, Scene, Tool } from './tools/tool.ts';

type Where = Pick<Scene, 'api' | 'collection'>;
/** What differs from call to call. */
export type Call = Omit<Scene, keyof Where>;

export interface PlacedTool extends Omit<Tool, 'run'> {
  run(args: never, call: Call): Promise<Answer>;
}

export const placed = (tool: Tool, { api, collection }: Where): PlacedTool => ({
  ...tool,
  run: (args, call) => tool.run(args, { ...call, api, collection }),
});

export interface Toolbox {
  /** For the model, before it looks at any tool. */
  readonly instructions: string;
  /** A page of the tools; `cursor` is `next` of the page before. Throws a ProtocolError for any other. */
  list(cursor: string | undefined, signal: AbortSignal): Promise<Page>;
  find(name: string): PlacedTool | undefined;
}

export interface Page {
  readonly tools: readonly PlacedTool[];
  readonly next?: string;
}
