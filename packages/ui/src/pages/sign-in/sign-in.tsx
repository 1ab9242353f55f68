import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { bodyOf, client } from '../../api/client.ts';
import { signInRefusal } from '../../lib/sign-in-refusal.ts';
import { Banner } from '../../ui/banner.tsx';
import { Alone } from './alone.tsx';
import { useEnter } from './enter.ts';
import { SignInForm } from './sign-in-form.tsx';

export function Page() {
  const enter = useEnter();
  const { to, refused } = useSearch({ from: '/sign-in' });
  // Without an answer the password remains, so the page does not wait for it.
  const { data, isPending } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => bodyOf(client.GET('/v1/auth/methods', { signal })),
  });
  return (
    <Alone title="Sign in to Quarry">
      {refused !== undefined && !isPending && (
        <Banner tone="bad" title="You are not signed in">
          {signInRefusal(refused, data?.issuer?.name ?? null)}
        </Banner>
      )}
      {data?.issuer && (
        <a href={leadingBack(data.issuer.url, to)} className="btn large">
          Sign in through {data.issuer.name}
        </a>
      )}
      <SignInForm onDone={() => enter(to)} />
      <p className="muted small">
        Is this your own installation? The terminal that runs it shows a link that signs you in.
      </p>
    </Alone>
  );
}

/** The service leads back to the page after the sign-in. It looks at the address itself. */
function leadingBack(url: string, to: string | undefined): string {
  const address = new URL(url);
  if (to !== undefined) address.searchParams.set('to', to);
  return address.href;
}
