import { serverNow } from '../../lib/clock.ts';
import { firesOften, readCron } from '../../lib/cron.ts';
import { Moment } from '../../ui/time.tsx';

/** Says a cron expression as a sentence, with its next runs in the time of the person. */
export function CronPreview({ cron }: { readonly cron: string }) {
  const known = readCron(cron, serverNow());
  if (!known) return null;
  return (
    <div className="small soft">
      {known.sentence && <p>{known.sentence}.</p>}
      <p>In your time, the next runs are:</p>
      <ol className="runs">
        {known.runs.map((run) => (
          <li key={run}>
            <Moment at={new Date(run).toISOString()} />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Returns what is wrong with an expression before it is sent; undefined for a good one. */
export function faultOfCron(cron: string, mayBeOften: boolean): string | undefined {
  const known = readCron(cron, serverNow());
  if (!known) return 'Five fields are needed, such as 0 3 * * *.';
  if (known.runs.length === 0) return 'It never fires: no such day exists.';
  if (!mayBeOften && firesOften(known)) return 'Once an hour is the most for this source.';
  return undefined;
}
