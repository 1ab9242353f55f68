import '../../styles/transformers.css';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { bodyOf, client, type Schemas } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { refreshTransformers, transformerQuery } from '../../api/transformers.ts';
import { isAtLeast } from '../../lib/role.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Card, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { Ago } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import { TransformerForm } from './transformer-form.tsx';

/** One transformer: what it does, and its settings. */
export function Page() {
  const { id } = useParams({ from: '/shell/transformers/$id' });
  const { data: me } = useSuspenseQuery(meQuery);
  const query = useQuery(transformerQuery(id));
  const { data } = query;
  return (
    <Frame
      title={data?.name ?? 'Transformer'}
      above={[{ label: 'Transformers', to: '/transformers' }]}
      sub={
        data &&
        (data.organization_id === null ? (
          <span className="tag">part of Quarry</span>
        ) : (
          <span>
            changed by <bdi>{data.modified_by_email}</bdi> <Ago at={data.modified_at} />
          </span>
        ))
      }
    >
      <Part query={query} what="The transformer">
        {(transformer) =>
          transformer.organization_id !== null && isAtLeast(me.role, 'member') ? (
            <Own transformer={transformer} />
          ) : (
            <Shown transformer={transformer} />
          )
        }
      </Part>
    </Frame>
  );
}

const Shown = ({ transformer }: { readonly transformer: Schemas['Transformer'] }) => (
  <Card title="What it does">
    <div className="pad stack">
      {transformer.description && (
        <p>
          <bdi>{transformer.description}</bdi>
        </p>
      )}
      <p className="soft small">
        Its settings, as JSON Schema. The page of a connection has a form for them.
      </p>
      <Code
        text={JSON.stringify(transformer.config_schema, null, 2)}
        label="the schema of the settings"
      />
    </div>
  </Card>
);

function Own({ transformer }: { readonly transformer: Schemas['Transformer'] }) {
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const { id, name } = transformer;
  return (
    <>
      <Card
        title="Function"
        note="Connections that use it transform their records again at the next sync."
      >
        <TransformerForm
          key={transformer.modified_at}
          transformer={fieldsOf(transformer)}
          action="Save"
          busy="Loading it …"
          refused="The transformer was not changed"
          onSend={async (body) => {
            await bodyOf(client.PUT('/v1/transformers/{id}', { params: { path: { id } }, body }));
            await refreshTransformers();
            toast('The transformer was changed.');
          }}
        />
      </Card>
      <Card title="Delete">
        <div className="pad tight">
          <p className="small soft">A transformer that a connection uses is not deleted.</p>
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete this transformer
          </Button>
        </div>
      </Card>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the transformer"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await bodyOf(client.DELETE('/v1/transformers/{id}', { params: { path: { id } } }));
            await navigate({ to: '/transformers' });
            await refreshTransformers();
          }}
        >
          Its module stays in its folder. Nothing changes in records, because no connection uses it.
        </ConfirmDialog>
      )}
    </>
  );
}

const fieldsOf = ({
  name,
  description,
  module_name,
  method_name,
  input_entity_definition_ids,
  output_entity_definition_ids,
  config_schema,
}: Schemas['Transformer']) => ({
  name,
  description,
  module_name,
  method_name,
  input_entity_definition_ids,
  output_entity_definition_ids,
  config_schema,
});
