import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { FileNotLoaded } from '../lib/page-file.ts';
import { messageOf, Refusal } from '../lib/refusal.ts';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { RequestId } from '../ui/part.tsx';
import { FileFault } from './file-fault.tsx';

const ABOVE = [{ label: 'Collections', to: '/collections' }];

/** Takes the place of a page that cannot be shown. */
export function PageFault({ error }: Pick<ErrorComponentProps, 'error'>) {
  const router = useRouter();
  const failedQueries = useQueryErrorResetBoundary();
  const isMissing = error instanceof Refusal && error.status === 404;
  function tryAgain(): void {
    failedQueries.reset();
    void router.invalidate();
  }
  return (
    <Page
      title={isMissing ? 'This is not here, or not yours to see' : 'This page could not be shown'}
      above={ABOVE}
    >
      {error instanceof FileNotLoaded ? (
        <FileFault error={error} />
      ) : (
        <>
          <p className="soft">
            {messageOf(error)} <RequestId error={error} />
          </p>
          <p>
            <Button onClick={tryAgain}>Try again</Button>
          </p>
        </>
      )}
    </Page>
  );
}
