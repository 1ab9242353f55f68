import { useSourceNames } from '../../api/use-source-names.ts';
import { sentenceOf } from '../../lib/refusal.ts';
import type { Answer } from '../../parts/search/use-answer.ts';
import { Banner } from '../../ui/banner.tsx';

type LiveSources = NonNullable<Answer['metadata']['federated']>;

/** Says which sources that are searched live have not answered, because their records are missing in the results. */
export function SilentSources({ sources = [] }: { readonly sources?: LiveSources | undefined }) {
  const nameOf = useSourceNames();
  return sources
    .filter(({ status }) => status !== 'answered')
    .map(({ source_connection_id: id, source_name, message = '' }) => (
      <Banner key={id} tone="warn" title={`${nameOf(source_name)} has not answered`}>
        Its records are missing here. {message !== '' && sentenceOf(message)}
      </Banner>
    ));
}

/** Says what is missing in the results of a search. */
export const MissingResults = ({ metadata }: Pick<Answer, 'metadata'>) => (
  <>
    <SilentSources sources={metadata.federated} />
    {metadata.degraded.includes('embedding') && (
      <Banner tone="warn" title="Nothing was compared by meaning">
        The embedder has not answered, so only records with the words of the search are found.
      </Banner>
    )}
  </>
);
