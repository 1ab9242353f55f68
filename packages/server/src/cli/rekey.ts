/** `quarry rekey` seals the stored values again with the present encryption key. The service may run meanwhile. */
import type { Config } from '../config.ts';
import { openVaultBeside } from '../encryption/keys.ts';
import { countToMove, type RekeyOutcome, rekey } from '../encryption/rekey.ts';
import { liveLine } from './live-line.ts';
import { withOwnDatabase } from './own-database.ts';

/**
 * Prints the progress, and each row that no key opens, to standard error, and the outcome to standard output. Returns
 * false while a value is sealed with another key than the present one.
 */
export const printRekey = (config: Config): Promise<boolean> =>
  withOwnDatabase(config, async (db) => {
    const vault = openVaultBeside(config);
    const toMove = await countToMove(db, vault);
    if (toMove > 0 && vault.keyIds.length === 1)
      throw new Error(
        `${rows(toMove)} sealed with another key than the present one: set QUARRY_OTHER_ENCRYPTION_KEY to the previous key`,
      );
    const line = liveLine(process.stderr);
    const outcome = await rekey(db, vault, {
      moved: (done, total) => line.show(`${done} of ${total} rows`),
      unopened({ table, id }) {
        line.clear();
        process.stderr.write(`${table} ${id}: no key opens it, so it is unchanged\n`);
      },
    });
    line.clear();
    process.stdout.write(describe(outcome));
    return outcome.unopened + outcome.sealedMeanwhile === 0;
  });

function describe({ moved, unopened, sealedMeanwhile }: RekeyOutcome): string {
  const tables = Object.entries(moved).map(([table, count]) => `${table} ${count}`);
  const lines = [`Moved to the present encryption key: ${tables.join(', ')}.`];
  if (unopened > 0)
    lines.push(
      `${rows(unopened)} sealed with a key that is neither the present one nor QUARRY_OTHER_ENCRYPTION_KEY: run this again with the right key, or set their credentials again.`,
    );
  if (sealedMeanwhile > 0)
    lines.push(
      `${rows(sealedMeanwhile)} sealed with another key meanwhile: give every process of the service the present key, and run this again.`,
    );
  if (lines.length === 1)
    lines.push(
      'All stored values are sealed with it: QUARRY_OTHER_ENCRYPTION_KEY is no longer needed.',
    );
  return `${lines.join('\n')}\n`;
}

const rows = (count: number): string => (count === 1 ? '1 row is' : `${count} rows are`);
