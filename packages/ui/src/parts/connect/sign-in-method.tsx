import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { Code } from '../../ui/code.tsx';
import { Segments, SelectField, TextField } from '../../ui/field.tsx';
import { Empty } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';

export type Method = 'direct' | 'oauth_browser' | 'oauth_token' | 'auth_provider';

export interface SignInValues {
  readonly method: Method;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly provider: string;
}

const NAMES: Record<Method, string> = {
  direct: 'With a key',
  oauth_browser: 'In the browser',
  oauth_token: 'With a token',
  auth_provider: 'Auth provider',
};

/** The ways to sign in that a form offers: one's own OAuth client is a part of the way in the browser. */
export const methodsOf = ({ auth_methods }: Schemas['SourceType']): Method[] =>
  auth_methods.flatMap((method) => (method === 'oauth_byoc' ? [] : method));

interface SignInProps {
  readonly source: Schemas['SourceType'];
  readonly values: SignInValues;
  readonly onValues: (values: SignInValues) => void;
  readonly faultOf: (field: string) => string | undefined;
}

/** Chooses the way to sign in, and asks for what it needs apart from the fields of the catalog. */
export function SignInMethod({ source, values, onValues, faultOf }: SignInProps) {
  const methods = methodsOf(source);
  const set = (change: Partial<SignInValues>) => onValues({ ...values, ...change });
  return (
    <>
      {methods.length > 1 && (
        <div className="tight">
          <span className="label">How to sign in</span>
          <Segments
            label="How to sign in"
            value={values.method}
            onValue={(method) => set({ method: method as Method })}
            choices={methods.map((value) => ({ value, label: NAMES[value] }))}
          />
        </div>
      )}
      {values.method === 'oauth_browser' && <Browser {...{ source, values, set, faultOf }} />}
      {values.method === 'oauth_token' && (
        <>
          <TextField
            label="Access token"
            type="password"
            value={values.accessToken}
            onValue={(accessToken) => set({ accessToken })}
            fault={faultOf('auth.oauth_token.access_token')}
          />
          <TextField
            label="Refresh token"
            type="password"
            isOptional
            help="Without it the connection ends with the access token."
            value={values.refreshToken}
            onValue={(refreshToken) => set({ refreshToken })}
            fault={faultOf('auth.oauth_token.refresh_token')}
          />
        </>
      )}
      {values.method === 'auth_provider' && <Provider {...{ values, set, faultOf }} />}
    </>
  );
}

interface WayProps extends Pick<SignInProps, 'values' | 'faultOf'> {
  readonly set: (change: Partial<SignInValues>) => void;
}

function Browser({
  source,
  values,
  set,
  faultOf,
}: WayProps & { readonly source: Schemas['SourceType'] }) {
  return (
    <>
      <p className="soft small">
        After this form, {source.name} asks you to sign in and to agree. Quarry only asks for rights
        to read.
      </p>
      <TextField
        label="Client ID"
        isOptional={!source.requires_byoc}
        help={`The id of an OAuth client that you have registered at ${source.name}.`}
        value={values.clientId}
        onValue={(clientId) => set({ clientId })}
        fault={faultOf('auth.oauth_browser.client_id')}
      />
      <TextField
        label="Client secret"
        type="password"
        autoComplete="off"
        isOptional={!source.requires_byoc}
        value={values.clientSecret}
        onValue={(clientSecret) => set({ clientSecret })}
        fault={faultOf('auth.oauth_browser.client_secret')}
      />
      {source.redirect_uri && (
        <div>
          <p className="label">Register the client with this redirect address</p>
          <Code text={source.redirect_uri} label="redirect address" />
        </div>
      )}
    </>
  );
}

function Provider({ values, set, faultOf }: WayProps) {
  const providers = useQuery({
    queryKey: ['auth-providers'],
    queryFn: ({ signal }) => bodyOf(client.GET('/v1/auth-providers', { signal })),
  });
  return (
    <Part query={providers} what="The auth providers">
      {(all) =>
        all.length === 0 ? (
          <Empty
            action={
              <Link to="/settings" className="link">
                Settings
              </Link>
            }
          >
            There is no auth provider yet. An admin adds one through the API.
          </Empty>
        ) : (
          <SelectField
            label="Auth provider"
            value={values.provider}
            onValue={(provider) => set({ provider })}
            choices={[
              { value: '', label: 'Choose one' },
              ...all.map(({ readable_id, name }) => ({ value: readable_id, label: name })),
            ]}
            fault={faultOf('auth.auth_provider.provider_readable_id')}
          />
        )
      }
    </Part>
  );
}
