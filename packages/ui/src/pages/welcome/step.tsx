import { Check } from 'lucide-react';
import type { ReactNode } from 'react';

export type StepState = 'done' | 'now' | 'next';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: StepState;
  /** A step that is done says in a line what was chosen. */
  readonly summary?: ReactNode;
  /** This link or button goes back to a step that is done. */
  readonly change?: ReactNode;
  readonly children?: ReactNode;
}

/** One step of the first run. A step that comes later shows its title alone. */
export const Step = ({ number, title, state, summary, change, children }: StepProps) => (
  <li className={`step ${state}`} aria-current={state === 'now' ? 'step' : undefined}>
    <span className="no" aria-hidden="true">
      {state === 'done' ? <Check size={15} /> : number}
    </span>
    <div className="step-body">
      <h2 tabIndex={-1}>
        {title}
        {state === 'done' && <span className="sr">, done</span>}
      </h2>
      {state === 'done' && summary && <p className="small soft">{summary}</p>}
      {state !== 'next' && children}
    </div>
    {state === 'done' && change}
  </li>
);
