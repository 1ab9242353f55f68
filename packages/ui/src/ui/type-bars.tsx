import { count } from 'quarry-text/numbers';
import {
  againstBefore,
  FATES,
  type Fate,
  segmentsInWords,
  type TypeProgress,
} from '../lib/progress.ts';
import { typeName } from '../lib/words.ts';

/**
 * Shows what a sync has met of each type, and what it did with it. The length of a bar is a share only when the number
 * of the last full sync is known; otherwise the bar of a running sync has no end.
 */
export const TypeBars = ({
  types,
  isRunning,
}: {
  readonly types: readonly TypeProgress[];
  readonly isRunning: boolean;
}) => (
  <ul className="type-bars">
    {types.map((one) => (
      <li key={one.type}>
        <span className="cut">{typeName(one.type)}</span>
        <span className="nowrap">
          <strong>{count(one.seen)}</strong>{' '}
          {isRunning && <span className="muted">{againstBefore(one)}</span>}
        </span>
        <Bar type={one} isOpen={isRunning && one.before === null} />
      </li>
    ))}
  </ul>
);

function Bar({ type, isOpen }: { readonly type: TypeProgress; readonly isOpen: boolean }) {
  const { seen, before, segments } = type;
  const scale = Math.max(seen, before ?? 0, 1);
  const shown = segments.length > 0 || seen === 0 ? segments : [{ fate: 'seen', records: seen }];
  return (
    <span
      className={isOpen ? 'bar open' : 'bar'}
      role="img"
      aria-label={segmentsInWords(segments) || `${count(seen)} met`}
    >
      {shown.map(({ fate, records }) => (
        <i key={fate} className={`fill-${fate}`} style={{ width: `${(records / scale) * 100}%` }} />
      ))}
    </span>
  );
}

/** Says how many records had each fate. The numbers add up to those that were met; deleted ones stand apart. */
export const FateCounts = ({
  counts,
  deleted,
}: {
  readonly counts: Readonly<Record<Fate, number>>;
  readonly deleted: number;
}) => (
  <>
    {FATES.filter((fate) => counts[fate] > 0).map((fate) => (
      <span key={fate} className={`key fill-${fate}`}>
        <span>
          <b>{count(counts[fate])}</b> {fate}
        </span>
      </span>
    ))}
    {deleted > 0 && (
      <span className="muted">
        <b>{count(deleted)}</b> deleted
      </span>
    )}
  </>
);
