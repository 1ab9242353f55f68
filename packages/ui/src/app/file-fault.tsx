import { useEffect, useRef } from 'react';
import { bodyOf, client } from '../api/client.ts';
import type { FileNotLoaded } from '../lib/page-file.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { Button } from '../ui/button.tsx';

/** The tab has loaded the page again because of this file. Doing so twice would never end where the file is missing. */
const KEY = 'quarry.reloaded-for';

/**
 * Somebody has opened a page whose files are not there: the service is away, or a newer version has other files. The
 * address is loaded as a whole, but only once the service answers, because the page of the browser would take its place.
 */
export function FileFault({ error }: { readonly error: FileNotLoaded }) {
  const reload = useSubmit(async () => {
    await bodyOf(client.GET('/health'));
    window.location.reload();
  });
  const isTried = useRef(false);
  useEffect(() => {
    const file = String(error.cause);
    if (isTried.current || sessionStorage.getItem(KEY) === file) return;
    isTried.current = true;
    sessionStorage.setItem(KEY, file);
    reload.submit();
  }, [error, reload]);
  return (
    <>
      <p className="soft">
        {reload.summary() ?? 'A file of it is missing. A newer version may have taken its place.'}
      </p>
      <p>
        <Button busy={reload.isBusy && 'Asking …'} onClick={() => reload.submit()}>
          Try again
        </Button>
      </p>
    </>
  );
}
