import { duration } from 'quarry-text/time';
import { type Attempt, outcomeOf } from '../../lib/webhooks.ts';
import { State } from '../../ui/state.tsx';
import { Ago, Moment } from '../../ui/time.tsx';

const SHOWN = {
  pending: { tone: 'wait', word: 'Next' },
  success: { tone: 'ok', word: 'Delivered' },
  failed: { tone: 'bad', word: 'Failed' },
} as const;

/** The attempts at one message, the newest first, with what the endpoint has answered. */
export const AttemptList = ({ attempts }: { readonly attempts: readonly Attempt[] }) => (
  <ul className="attempts">
    {attempts.map((attempt) => {
      const { tone, word } = SHOWN[attempt.status];
      const isDue = attempt.status === 'pending';
      return (
        <li key={attempt.id}>
          <State tone={tone}>{word}</State>
          <span className="muted">
            {isDue ? <Moment at={attempt.timestamp} /> : <Ago at={attempt.timestamp} />}
          </span>
          {!isDue && <span>{outcomeOf(attempt)}</span>}
          {attempt.duration_ms !== null && (
            <span className="muted">after {duration(attempt.duration_ms)}</span>
          )}
          {attempt.response !== '' && <pre className="answered">{attempt.response}</pre>}
        </li>
      );
    })}
  </ul>
);
