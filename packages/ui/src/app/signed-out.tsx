import { useQueryClient } from '@tanstack/react-query';
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Opens the sign-in page, which leads back to this page. */
function leave(): void {
  const { pathname, search, hash } = window.location;
  window.location.assign(`/sign-in?${new URLSearchParams({ to: pathname + search + hash })}`);
}

/** Takes a new sign-in over the page, so that what was typed there stays. */
export function SignedOut({
  email,
  onDone,
}: {
  readonly email: string;
  readonly onDone: () => void;
}) {
  const client = useQueryClient();
  return (
    <Dialog title="Your session has ended" onClose={leave}>
      <SignInForm
        email={email}
        onDone={async () => {
          onDone();
          await client.invalidateQueries();
        }}
      />
    </Dialog>
  );
}
