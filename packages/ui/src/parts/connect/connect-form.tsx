import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { nameOfFolder } from '../../lib/first-run.ts';
import { type FieldTexts, textsOfValues, Unreadable, valuesOf } from '../../lib/source-values.ts';
import { useSubmit } from '../../lib/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';
import { authBody } from './auth-body.ts';
import { FormPart } from './form-part.tsx';
import { methodsOf, SignInMethod, type SignInValues } from './sign-in-method.tsx';
import { askOptions, SourceFieldInput } from './source-field.tsx';

interface ConnectFormProps {
  readonly source: Schemas['SourceType'];
  /** Returns the readable_id of the collection, which may be made only now, with the name of the connection. */
  readonly collection: (name: string) => Promise<string>;
  /** Takes back what `collection` has made, because the source refused. */
  readonly onRefused?: (collection: string) => Promise<void>;
  /** Returns the address that opens after a sign-in in the browser. */
  readonly back: (collection: string) => string;
  readonly onConnected: (collection: string) => Promise<void>;
  /** The first run asks for what is required, and hides the rest. */
  readonly isShort?: boolean;
}

/** The one form in which sources are set up. It is made from the fields that the catalog lists. */
export function ConnectForm({ source, isShort = false, ...target }: ConnectFormProps) {
  const shortName = source.short_name;
  const signInFields = source.auth_fields?.fields ?? [];
  const configFields = source.config_fields.fields;
  const usualName = source.name.length < 4 ? `${source.name} source` : source.name;
  const [typedName, setName] = useState(isShort ? '' : usualName);
  const [credentials, setCredentials] = useState<FieldTexts>(() => textsOfValues(signInFields, {}));
  const [config, setConfig] = useState<FieldTexts>(() => textsOfValues(configFields, {}));
  const [unreadable, setUnreadable] = useState<Unreadable | null>(null);
  const [signIn, setSignIn] = useState<SignInValues>({
    ...{ method: methodsOf(source)[0] ?? 'direct', provider: '' },
    ...{ clientId: '', clientSecret: '', accessToken: '', refreshToken: '' },
  });
  const isDirect = signIn.method === 'direct';
  const isFolder = shortName === 'files';
  const ownName = isFolder && config.path ? nameOfFolder(config.path) : usualName;
  const name = isShort && typedName === '' ? ownName : typedName;

  const form = useSubmit(async () => {
    setUnreadable(null);
    try {
      const settings = valuesOf(configFields, config);
      const secrets = isDirect ? valuesOf(signInFields, credentials) : {};
      const collection = await target.collection(name);
      const auth = authBody(signIn, () => secrets, target.back(collection));
      const body = {
        name,
        short_name: shortName,
        readable_collection_id: collection,
        config: settings,
        ...((signInFields.length > 0 || !isDirect) && { auth }),
      };
      const made = await bodyOf(client.POST('/v1/source-connections', { body })).catch(
        async (error: unknown) => {
          // The person reads the answer of the source, and the console what went wrong after it.
          await target.onRefused?.(collection).catch(reportError);
          throw error;
        },
      );
      await queryClient.invalidateQueries({ queryKey: ['connections'] });
      if (made.auth.auth_url) window.location.assign(made.auth.auth_url);
      else await target.onConnected(collection);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      setUnreadable(error);
    }
  });
  const faultOf = (place: string, field: string) =>
    unreadable?.field === field ? unreadable.message : form.faultOf(`${place}.${field}`);
  const configOf = (isMeant: (field: Schemas['SourceField']) => boolean) =>
    configFields.filter(isMeant).map(({ name }) => config[name]);
  const optionsOf = (field: Schemas['SourceField']) =>
    field.has_options && isDirect
      ? {
          ask: async () =>
            askOptions(shortName, {
              field: field.name,
              ...(signInFields.length > 0 && { credentials: valuesOf(signInFields, credentials) }),
              config: valuesOf(configFields, { ...config, [field.name]: '' }),
            })(),
          askedWith: JSON.stringify([credentials, configOf((one) => !one.has_options)]),
          beside: JSON.stringify(configOf((one) => one.has_options === true && one !== field)),
        }
      : undefined;

  const nameField = (
    <TextField
      key="name"
      label="Name"
      isOptional={isShort}
      help="4 to 42 characters. It stands in lists and beside results."
      placeholder={isShort ? ownName : undefined}
      value={typedName}
      onValue={setName}
      fault={form.faultOf('name')}
    />
  );
  const signInPart = [
    <SignInMethod
      key="method"
      source={source}
      values={signIn}
      onValues={setSignIn}
      faultOf={form.faultOf}
    />,
    ...(isDirect ? signInFields : []).map((field) => (
      <SourceFieldInput
        key={`sign-in ${field.name}`}
        field={field}
        value={credentials[field.name] ?? ''}
        onValue={(value) => setCredentials({ ...credentials, [field.name]: value })}
        fault={faultOf('auth.direct.credentials', field.name)}
      />
    )),
  ];
  const configInput = (field: Schemas['SourceField']) => (
    <SourceFieldInput
      key={`config ${field.name}`}
      field={field}
      value={config[field.name] ?? ''}
      onValue={(value) => setConfig({ ...config, [field.name]: value })}
      fault={faultOf('config', field.name)}
      options={optionsOf(field)}
      showsOptions={isShort && isFolder}
    />
  );
  const required = configFields.filter(({ required }) => required);
  const optional = configFields.filter(({ required }) => !required);
  return (
    <form className="stack" onSubmit={form.submit} noValidate>
      {isShort ? (
        <>
          <FormPart>{[...signInPart, ...required.map(configInput)]}</FormPart>
          <FormPart folded="More settings">{[nameField, ...optional.map(configInput)]}</FormPart>
        </>
      ) : (
        <>
          <FormPart title="The source">{[nameField, ...signInPart]}</FormPart>
          {configFields.length > 0 && (
            <FormPart title="What to copy">{configFields.map(configInput)}</FormPart>
          )}
        </>
      )}
      <FormFault of={form} title={`${isFolder ? 'This folder' : source.name} was not connected`} />
      <Button
        look="primary"
        size="large"
        type="submit"
        busy={form.isBusy && (isFolder ? 'Looking …' : `Asking ${source.name} …`)}
      >
        {signIn.method === 'oauth_browser'
          ? 'Sign in and sync'
          : isShort && isFolder
            ? 'Read this folder'
            : 'Connect and sync'}
      </Button>
    </form>
  );
}
