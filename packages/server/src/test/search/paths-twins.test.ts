/** Does the same as paths.test.ts, with a record that the asker may not see and without it. */
import { declarePath } from './paths/declare.ts';

declarePath(
  'twins',
  '[ENT-25] a hidden record changes nothing: every answer is the same as without it',
);
