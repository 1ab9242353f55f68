import { useQuery } from '@tanstack/react-query';
import { keysQuery, OFTEN_MS } from '../../api/queries.ts';
import { keyOfAssistant } from '../../lib/assistants.ts';
import { serverNow } from '../../lib/clock.ts';
import { State } from '../../ui/state.tsx';
import { Ago } from '../../ui/time.tsx';

/** Somebody waits for the first call, so it is looked for at this interval. */
const WATCH_MS = 2000;

/** An assistant that has not called for longer may be gone. */
const CONNECTED_MS = 24 * 3_600_000;

interface LastCallProps {
  /** The keys of an assistant have its name. */
  readonly name: string;
  /** The key is limited to this collection; null means that it is not limited. */
  readonly collection: string | null;
  /** This key was made just now; null when none was. */
  readonly madeId: string | null;
}

/** Says when the assistant has called last, which Quarry knows by its key. Only an admin may ask for keys. */
export function LastCall({ name, collection, madeId }: LastCallProps) {
  const { data } = useQuery({
    ...keysQuery,
    refetchInterval: madeId === null ? OFTEN_MS : WATCH_MS,
  });
  const key = keyOfAssistant(data?.items ?? [], { name, collection, madeId });
  if (!key) return null;
  return (
    <p className="small row wrap" role="status">
      {key.last_used_at === null ? (
        <State tone="wait">Waiting for the first call</State>
      ) : serverNow() - Date.parse(key.last_used_at) < CONNECTED_MS ? (
        <State tone="ok">
          <span>
            Connected: its key was used <Ago at={key.last_used_at} />
          </span>
        </State>
      ) : (
        <State tone="none">
          <span>
            Its key was last used <Ago at={key.last_used_at} />
          </span>
        </State>
      )}
    </p>
  );
}
