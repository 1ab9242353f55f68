/** Does the same as paths.test.ts, for each tool of the tool server, over HTTP and in each of the two eras of its protocol. */
import { declarePath } from './paths/declare.ts';

declarePath(
  'assistant',
  '[MCP-11] [MCP-27] [ENT-17] the tools of an assistant give what the asker may see, and nothing else',
);
