/** Does the same as paths.test.ts, for the agentic search: results, citations, answer and steps. */
import { declarePath } from './paths/declare.ts';

declarePath(
  'agentic',
  '[AGT-05] [AGT-18] an agentic search shows and cites what the asker may see, and nothing else',
);
