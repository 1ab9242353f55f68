/** Does the same as paths.test.ts, for each tool of the agent. */
import { declarePath } from './paths/declare.ts';

declarePath(
  'tools',
  '[AGT-05] the tools of the agent give what the asker may see, and nothing else',
);
