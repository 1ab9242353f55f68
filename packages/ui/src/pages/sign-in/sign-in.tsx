import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { bodyOf, client } from '../../api/client.ts';
import { Alone } from './alone.tsx';
import { useEnter } from './enter.ts';
import { SignInForm } from './sign-in-form.tsx';

export function Page() {
  const enter = useEnter();
  const { to } = useSearch({ from: '/sign-in' });
  // Without an answer the password remains, so the page does not wait for it.
  const { data } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => bodyOf(client.GET('/v1/auth/methods', { signal })),
  });
  return (
    <Alone title="Sign in to Quarry">
      {data?.issuer && (
        <a href={data.issuer.url} className="btn large">
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
