/** Makes a keeper of tokens that logs nothing. */
import pino from 'pino';
import { createTokenKeeper, type TokenKeeper, type TokenKeeperDeps } from '../sign-in/keeper.ts';

export const keeperOf = (deps: Omit<TokenKeeperDeps, 'log'>): TokenKeeper =>
  createTokenKeeper({ ...deps, log: pino({ level: 'silent' }) });

/** Suits sources that keep no tokens. */
export const noTokens: Pick<TokenKeeper, 'hold'> = {
  hold() {
    throw new Error('this source keeps no tokens');
  },
};
