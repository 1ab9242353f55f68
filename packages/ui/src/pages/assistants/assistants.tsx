import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { collectionsQuery } from '../../api/queries.ts';
import { ASSISTANTS } from '../../lib/assistants.ts';
import { IN_PLACE } from '../../lib/in-place.ts';
import { AssistantSetup } from '../../parts/assistants/assistant-setup.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Card, Empty, Page as Frame } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';

/** A readable_id has at least one character, so this names none of them. */
const ALL = '';

/** How AI assistants use Quarry: by its tool server. */
export function Page() {
  const { c } = useSearch({ from: '/shell/assistants' });
  const navigate = useNavigate({ from: '/assistants' });
  const collections = useQuery(collectionsQuery);
  return (
    <Frame
      title="Assistants"
      sub="Assistants that speak MCP search all collections, or one, by tools of their own. They only read."
    >
      <Part query={collections} what="The collections">
        {({ items }) => {
          const chosen = items.find(({ readable_id }) => readable_id === c)?.readable_id ?? null;
          if (items.length === 0)
            return <Empty>There is no collection yet, so an assistant would find nothing.</Empty>;
          return (
            <>
              <div className="filters">
                <SelectField
                  label="Collection"
                  value={chosen ?? ALL}
                  onValue={(value) =>
                    void navigate({ search: { c: value === ALL ? undefined : value }, ...IN_PLACE })
                  }
                  choices={[
                    { value: ALL, label: 'All collections' },
                    ...items.map(({ readable_id, name }) => ({ value: readable_id, label: name })),
                  ]}
                />
              </div>
              {ASSISTANTS.map(({ id, name }) => (
                <Card key={id} title={name}>
                  <div className="pad">
                    <AssistantSetup key={chosen} assistant={id} collection={chosen} />
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
