import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { sourceQuery } from '../../api/queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Typed, typedOf, Unreadable, valuesOf } from '../../lib/source-values.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { Card, Page as Frame } from '../../ui/page.tsx';
import { COLLECTIONS, crumbOf, useCollectionName } from '../collection/tabs.tsx';
import { methodsOf, SignInMethod, type SignInValues } from './sign-in-method.tsx';
import { askOptions, SourceFieldInput } from './source-field.tsx';

/** Connects a source: its form is made from the fields that the catalog lists. */
export function Page() {
  const { collection, source: shortName } = useParams({
    from: '/shell/collections/$collection/connect/$source',
  });
  const { data: source } = useSuspenseQuery(sourceQuery(shortName));
  const collectionName = useCollectionName(collection);
  const navigate = useNavigate();
  const signInFields = source.auth_fields?.fields ?? [];
  const configFields = source.config_fields.fields;
  const [name, setName] = useState(source.name.length < 4 ? `${source.name} source` : source.name);
  const [credentials, setCredentials] = useState<Typed>(() => typedOf(signInFields, {}));
  const [config, setConfig] = useState<Typed>(() => typedOf(configFields, {}));
  const [unreadable, setUnreadable] = useState<Unreadable | null>(null);
  const [signIn, setSignIn] = useState<SignInValues>({
    ...{ method: methodsOf(source)[0] ?? 'direct', provider: '' },
    ...{ clientId: '', clientSecret: '', accessToken: '', refreshToken: '' },
  });
  const isDirect = signIn.method === 'direct';

  function body(): Schemas['NewSourceConnection'] {
    const auth = authOf(signIn, () => valuesOf(signInFields, credentials), {
      redirect_uri: new URL(
        `/collections/${encodeURIComponent(collection)}`,
        window.location.origin,
      ).href,
    });
    return {
      name,
      short_name: shortName,
      readable_collection_id: collection,
      config: valuesOf(configFields, config),
      ...(auth && (signInFields.length > 0 || !isDirect) && { auth }),
    };
  }
  const form = useSubmit(async () => {
    setUnreadable(null);
    try {
      const made = await bodyOf(client.POST('/v1/source-connections', { body: body() }));
      await queryClient.invalidateQueries({ queryKey: ['connections'] });
      if (made.auth.auth_url) window.location.assign(made.auth.auth_url);
      else await navigate({ to: '/collections/$collection', params: { collection } });
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      setUnreadable(error);
    }
  });
  const faultOf = (place: string, field: string) =>
    unreadable?.field === field ? unreadable.message : form.faultOf(`${place}.${field}`);
  const optionsOf = (field: Schemas['SourceField']) =>
    field.has_options && isDirect
      ? async () =>
          askOptions(shortName, {
            field: field.name,
            credentials: valuesOf(signInFields, credentials),
            config: valuesOf(configFields, { ...config, [field.name]: '' }),
          })()
      : undefined;

  return (
    <Frame
      title={`Connect ${source.name}`}
      above={[
        COLLECTIONS,
        crumbOf(collection, collectionName),
        { label: 'Connect a source', to: `/collections/${encodeURIComponent(collection)}/connect` },
      ]}
      sub={source.description}
    >
      <form className="cols aside" onSubmit={form.submit} noValidate>
        <div className="stack">
          <Card title="The source">
            <div className="pad form">
              <TextField
                label="Name"
                help="4 to 42 characters. It stands in lists and beside results."
                value={name}
                onValue={setName}
                fault={form.faultOf('name')}
              />
              <SignInMethod
                source={source}
                values={signIn}
                onValues={setSignIn}
                faultOf={form.faultOf}
              />
              {isDirect &&
                signInFields.map((field) => (
                  <SourceFieldInput
                    key={field.name}
                    field={field}
                    value={credentials[field.name] ?? ''}
                    onValue={(value) => setCredentials({ ...credentials, [field.name]: value })}
                    fault={faultOf('auth.direct.credentials', field.name)}
                  />
                ))}
            </div>
          </Card>
          {configFields.length > 0 && (
            <Card title="What to copy">
              <div className="pad form">
                {configFields.map((field) => (
                  <SourceFieldInput
                    key={field.name}
                    field={field}
                    value={config[field.name] ?? ''}
                    onValue={(value) => setConfig({ ...config, [field.name]: value })}
                    fault={faultOf('config', field.name)}
                    options={optionsOf(field)}
                  />
                ))}
              </div>
            </Card>
          )}
          <FormFault of={form} title={`${source.name} is not connected`} />
          <div className="row">
            <Button
              look="primary"
              size="large"
              type="submit"
              busy={form.isBusy && `Asking ${source.name} …`}
            >
              {signIn.method === 'oauth_browser' ? 'Sign in and sync' : 'Connect and sync'}
            </Button>
          </div>
        </div>
        <About source={source} />
      </form>
    </Frame>
  );
}

const About = ({ source }: { readonly source: Schemas['SourceType'] }) => (
  <Card title={`About ${source.name}`}>
    <dl className="pairs pad">
      <dt>Kinds of records</dt>
      <dd>{source.output_entity_definitions.join(', ') || 'as you push them'}</dd>
      <dt>Access</dt>
      <dd>
        {source.supports_access_control
          ? 'People find what they may see at the source.'
          : 'Everybody in the organization finds all of it.'}
      </dd>
      <dt>Changes</dt>
      <dd>
        {source.federated_search
          ? 'Nothing is copied: the source is asked at each search.'
          : source.supports_continuous
            ? 'Every few minutes, only what has changed.'
            : 'Each sync compares everything; unchanged records are not read again.'}
      </dd>
    </dl>
  </Card>
);

function authOf(
  signIn: SignInValues,
  credentials: () => Record<string, unknown>,
  back: { readonly redirect_uri: string },
): Schemas['Auth'] {
  switch (signIn.method) {
    case 'direct':
      return { direct: { credentials: credentials() } };
    case 'oauth_browser':
      return {
        oauth_browser: {
          ...back,
          ...(signIn.clientId && { client_id: signIn.clientId }),
          ...(signIn.clientSecret && { client_secret: signIn.clientSecret }),
        },
      };
    case 'oauth_token':
      return {
        oauth_token: {
          access_token: signIn.accessToken,
          ...(signIn.refreshToken && { refresh_token: signIn.refreshToken }),
        },
      };
    case 'auth_provider':
      return { auth_provider: { provider_readable_id: signIn.provider } };
  }
}
