import type { Submission } from '../lib/use-submit.ts';
import { Banner } from './banner.tsx';
import { RequestId } from './part.tsx';

/** Says what is wrong with a form apart from its fields. It stands after the fields. */
export function FormFault({
  of,
  title = 'This was not saved',
}: {
  readonly of: Submission;
  readonly title?: string;
}) {
  const summary = of.summary();
  if (summary === null) return null;
  return (
    <Banner tone="bad" title={title}>
      {summary} <RequestId error={of.error} />
    </Banner>
  );
}
