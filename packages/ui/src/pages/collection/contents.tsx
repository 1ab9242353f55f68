import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { count } from 'quarry-text/numbers';
import { bodyOf, client } from '../../api/client.ts';
import { useSourceNames } from '../../api/use-source-names.ts';
import { IN_PLACE } from '../../lib/in-place.ts';
import { typeName } from '../../lib/words.ts';
import { SelectField } from '../../ui/field.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { Part } from '../../ui/part.tsx';
import { Level, Sources } from './browse.tsx';
import { CollectionFrame } from './frame.tsx';
import { RecordList, totalOf } from './record-list.tsx';
import '../../styles/contents.css';

const FROM = '/shell/collections/$collection/contents';

interface ContentsSearch {
  readonly type?: string;
  readonly source?: string;
  readonly name?: string;
}

/** Shows the records of a collection: by source and by what they are below, or those that filters leave. */
export function Page() {
  const { collection } = useParams({ from: FROM });
  const { type, source, name = '', in: connection, below } = useSearch({ from: FROM });
  const navigate = useNavigate({ from: '/collections/$collection/contents' });
  const nameOf = useSourceNames();
  const path = { readable_id: collection };
  const contents = useQuery({
    queryKey: ['contents', collection, null],
    queryFn: ({ signal }) =>
      bodyOf(client.GET('/v1/collections/{readable_id}/contents', { params: { path }, signal })),
  });
  const set = (change: ContentsSearch) =>
    void navigate({ search: (old) => ({ ...old, ...change }), ...IN_PLACE });
  const filter = { type, source, name, connection, below };
  const isFiltered = Boolean(type || source || name);
  return (
    <CollectionFrame collection={collection} part="Contents">
      <Part query={contents} what="The contents">
        {({ entity_types, source_names, source_connections }) => (
          <>
            <div className="filters">
              <FilterField
                label="Name"
                help="A part of the name."
                value={name}
                onValue={(value) => set({ name: value || undefined })}
              />
              <SelectField
                label="Type"
                value={type ?? ''}
                onValue={(value) => set({ type: value || undefined })}
                choices={[
                  { value: '', label: 'All types' },
                  ...entity_types.map(({ entity_type, count: records }) => ({
                    value: entity_type,
                    label: `${typeName(entity_type)}${records === null ? '' : ` (${count(records)})`}`,
                  })),
                ]}
              />
              <SelectField
                label="Source"
                value={source ?? ''}
                onValue={(value) => set({ source: value || undefined })}
                choices={[
                  { value: '', label: 'All sources' },
                  ...source_names.map((value) => ({ value, label: nameOf(value) })),
                ]}
              />
            </div>
            {connection ? (
              <Level
                collection={collection}
                connection={{
                  id: connection,
                  name: source_connections.find(({ id }) => id === connection)?.name ?? 'A source',
                }}
                below={below}
                isFiltered={isFiltered}
              />
            ) : (
              !isFiltered && <Sources collection={collection} connections={source_connections} />
            )}
          </>
        )}
      </Part>
      {(isFiltered || !connection) && (
        <RecordList
          collection={collection}
          filter={filter}
          total={contents.data ? totalOf(contents.data, filter) : null}
        />
      )}
    </CollectionFrame>
  );
}
