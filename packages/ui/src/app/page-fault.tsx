import type { ErrorComponentProps } from '@tanstack/react-router';
import { messageOf, Refusal } from '../api/refusal.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { RequestId } from '../ui/part.tsx';

/** Takes the place of a page that cannot be shown. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  const isMissing = error instanceof Refusal && error.status === 404;
  return (
    <Banner
      tone="bad"
      title={isMissing ? 'This is not here, or not yours to see' : 'This page could not be shown'}
      actions={<Button onClick={reset}>Try again</Button>}
    >
      {messageOf(error)} <RequestId error={error} />
    </Banner>
  );
}
