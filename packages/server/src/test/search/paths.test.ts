/**
 * Compares random requests on every path to data with a naive oracle, during commits and with models that lie. An
 * answer shows nothing that the oracle does not allow, and nothing is missing. `npm run paths` plays more cases.
 */
import { declarePath } from './paths/declare.ts';

declarePath(
  'standard',
  '[SRH-29] [ENT-17] a standard search shows what the asker may see, and nothing else',
);
