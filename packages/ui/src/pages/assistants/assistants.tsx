import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { collectionsQuery } from '../../api/queries.ts';
import { ASSISTANTS } from '../../lib/assistants.ts';
import { IN_PLACE } from '../../lib/in-place.ts';
import { AssistantSetup } from '../../parts/assistants/assistant-setup.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Card, Empty, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';

/** How AI assistants use Quarry: by its tool server. */
export function Page() {
  const { c } = useSearch({ from: '/shell/assistants' });
  const navigate = useNavigate({ from: '/assistants' });
  const collections = useQuery(collectionsQuery);
  return (
    <Frame
      title="Assistants"
      sub="Assistants that speak MCP search a collection by tools of their own. They only read."
    >
      <Part query={collections} what="The collections">
        {({ items }) => {
          const chosen = items.find(({ readable_id }) => readable_id === c) ?? items[0];
          if (!chosen)
            return <Empty>There is no collection yet, so an assistant would find nothing.</Empty>;
          return (
            <>
              <div className="filters">
                <SelectField
                  label="Collection"
                  value={chosen.readable_id}
                  onValue={(value) => void navigate({ search: { c: value }, ...IN_PLACE })}
                  choices={items.map(({ readable_id, name }) => ({
                    value: readable_id,
                    label: name,
                  }))}
                />
              </div>
              {ASSISTANTS.map(({ id, name }) => (
                <Card key={id} title={name}>
                  <div className="pad">
                    <AssistantSetup
                      key={chosen.readable_id}
                      assistant={id}
                      collection={chosen.readable_id}
                    />
                  </div>
                </Card>
              ))}
            </>
          );
        }}
      </Part>
    </Frame>
  );
}
