/** Does the same as paths.test.ts, for each tool of the agent. */
import { declarePath } from './paths/declare.ts';

declarePath('tools', "[AGT-05] the agent's tools give what they may, and no more");
