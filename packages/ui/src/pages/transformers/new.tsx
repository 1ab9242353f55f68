import '../../styles/transformers.css';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { bodyOf, client } from '../../api/client.ts';
import { meQuery } from '../../api/queries.ts';
import { refreshTransformers } from '../../api/transformers.ts';
import { isAtLeast } from '../../lib/role.ts';
import { OnlyMembers } from '../../ui/only-admins.tsx';
import { Card, Page as Frame } from '../../ui/page.tsx';
import { TransformerForm } from './transformer-form.tsx';

const EMPTY = {
  name: '',
  description: null,
  module_name: '',
  method_name: '',
  input_entity_definition_ids: [],
  output_entity_definition_ids: [],
  config_schema: { type: 'object', properties: {}, additionalProperties: false },
};

export function Page() {
  const { data: me } = useSuspenseQuery(meQuery);
  const navigate = useNavigate();
  return (
    <Frame title="Add a transformer" above={[{ label: 'Transformers', to: '/transformers' }]}>
      {isAtLeast(me.role, 'member') ? (
        <Card title="Function" note="It is loaded once, to check that it exists.">
          <TransformerForm
            transformer={EMPTY}
            action="Add the transformer"
            busy="Loading it …"
            refused="The transformer was not added"
            onSend={async (body) => {
              const { id } = await bodyOf(client.POST('/v1/transformers', { body }));
              await refreshTransformers();
              await navigate({ to: '/transformers/$id', params: { id } });
            }}
          />
        </Card>
      ) : (
        <OnlyMembers />
      )}
    </Frame>
  );
}
