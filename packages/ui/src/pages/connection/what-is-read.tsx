import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { Schemas } from '../../api/client.ts';
import { sourceQuery } from '../../api/queries.ts';
import { wordsOfValue } from '../../lib/source-values.ts';
import { Card } from '../../ui/page.tsx';

/** Says what the connection reads: its settings, by their titles in the catalog. Secrets are never shown. */
export function WhatIsRead({
  connection: { short_name, config },
}: {
  readonly connection: Schemas['SourceConnection'];
}) {
  const { data: source } = useQuery(sourceQuery(short_name));
  const settings = (source?.config_fields.fields ?? []).flatMap(({ name, title, secret }) => {
    const words = secret ? '' : wordsOfValue(config[name]);
    return words === '' ? [] : [{ name, title, words }];
  });
  if (settings.length === 0) return null;
  return (
    <Card title="What it reads">
      <dl className="pairs pad">
        {settings.map(({ name, title, words }) => (
          <Fragment key={name}>
            <dt>{title}</dt>
            <dd>
              <bdi>{words}</bdi>
            </dd>
          </Fragment>
        ))}
      </dl>
    </Card>
  );
}
