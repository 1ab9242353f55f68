/**
 * Compares every path to data with a naive oracle, at random, in the middle of commits and with models that
 * lie. An answer shows nothing that the oracle does not allow, and nothing is missing. `npm run paths` plays
 * more.
 */
import { declarePath } from './paths/declare.ts';

declarePath('standard', '[SRH-29] [ENT-17] a standard search shows what it may, and no more');
