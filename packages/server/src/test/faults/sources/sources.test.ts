import { describe, it } from 'node:test';
import { DATABASES } from '../../databases.ts';
import { CLOUDS } from '../../sources/clouds.ts';
import { isFull } from '../../tier.ts';
import { runSeeds } from '../pool.ts';
import { playerOf } from './player.ts';

const sources = Object.keys(CLOUDS);
const databases = DATABASES.map(({ name }) => name);
/** In each round, every source is played once. */
const ROUNDS = isFull ? 10 : 1;

describe('faults of sources', () => {
  for (let round = 0; round < ROUNDS; round++)
    it(`histories of round ${round} lose nothing, and show nothing that is gone`, async () => {
      const count = sources.length;
      await runSeeds(playerOf({ sources, databases }), { from: round * count, count });
    });
});
