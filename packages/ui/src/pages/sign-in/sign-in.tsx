import { useSearch } from '@tanstack/react-router';
import { signInRefusal } from '../../lib/sign-in-refusal.ts';
import { Banner } from '../../ui/banner.tsx';
import { Alone } from './alone.tsx';
import { useEnter } from './enter.ts';
import { IssuerLink, OwnInstallation, useSignInMethods } from './other-ways.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function Page() {
  const enter = useEnter();
  const { to, refused } = useSearch({ from: '/sign-in' });
  const { data, isPending } = useSignInMethods();
  return (
    <Alone title="Sign in to Quarry">
      {refused !== undefined && !isPending && (
        <Banner tone="bad" title="You are not signed in">
          {signInRefusal(refused, data?.issuer?.name ?? null)}
        </Banner>
      )}
      {data?.issuer && <IssuerLink issuer={data.issuer} to={to} />}
      <SignInForm onDone={() => enter(to)} />
      <OwnInstallation />
    </Alone>
  );
}
