/** The ways to sign in without a password. */
import { useQuery } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '../../api/client.ts';

/** Without an answer the password remains, so nothing waits for it. */
export const useSignInMethods = () =>
  useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => bodyOf(client.GET('/v1/auth/methods', { signal })),
  });

interface IssuerLinkProps {
  readonly issuer: NonNullable<Schemas['SignInMethods']['issuer']>;
  /** This address of the dashboard opens after the sign-in. */
  readonly to?: string | undefined;
  readonly isNewTab?: boolean;
}

export const IssuerLink = ({ issuer, to, isNewTab }: IssuerLinkProps) => (
  <a
    href={leadingBack(issuer.url, to)}
    target={isNewTab ? '_blank' : undefined}
    rel={isNewTab ? 'noreferrer' : undefined}
    className="btn large"
  >
    Sign in through {issuer.name}
    {isNewTab && <span className="sr"> in a new tab</span>}
  </a>
);

/** The service leads back to the page after the sign-in. It looks at the address itself. */
function leadingBack(url: string, to: string | undefined): string {
  const address = new URL(url);
  if (to !== undefined) address.searchParams.set('to', to);
  return address.href;
}

export const OwnInstallation = () => (
  <p className="muted small">
    Is this your own installation? The terminal that runs it shows a link that signs you in.
  </p>
);
