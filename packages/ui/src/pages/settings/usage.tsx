import '../../styles/usage.css';
import { useQuery } from '@tanstack/react-query';
import { count } from 'quarry-text/numbers';
import { useState } from 'react';
import { bodyOf, client } from '../../api/client.ts';
import { heightsOf, METRICS, type UsageDay } from '../../lib/usage.ts';
import { Segments } from '../../ui/field.tsx';
import { Card } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';

const SPANS = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '366', label: '1 year' },
] as const;

/** How much the organization was used, day by day. */
export function Usage({ organizationId: id }: { readonly organizationId: string }) {
  const [span, setSpan] = useState('30');
  const days = useQuery({
    queryKey: ['usage', id, span],
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/v1/organizations/{id}/usage', {
          params: { path: { id }, query: { days: Number(span) } },
          signal,
        }),
      ),
  });
  return (
    <Card
      title="Usage"
      actions={<Segments label="Days" value={span} onValue={setSpan} choices={SPANS} />}
    >
      <div className="pad stack">
        <Part query={days} what="The usage" rows={3}>
          {(all) => (
            <>
              {METRICS.map((metric) => (
                <Bars key={metric.name} metric={metric} days={all} />
              ))}
              <details>
                <summary className="link small">Show as table</summary>
                <UsageTable days={all} />
              </details>
            </>
          )}
        </Part>
      </div>
    </Card>
  );
}

function Bars({
  metric,
  days,
}: {
  readonly metric: (typeof METRICS)[number];
  readonly days: readonly UsageDay[];
}) {
  const { label, summary } = metric;
  return (
    <section aria-label={label}>
      <p className="row small">
        <span className="grow soft">{label}</span>
        <strong>{summary(days)}</strong>
      </p>
      <div className="usage-bars" aria-hidden="true">
        {heightsOf(metric, days).map((height, i) => (
          <i key={days[i]?.date} style={{ height: `${height}%` }} />
        ))}
      </div>
    </section>
  );
}

const UsageTable = ({ days }: { readonly days: readonly UsageDay[] }) => (
  <table>
    <thead>
      <tr>
        <th scope="col">Day (UTC)</th>
        {METRICS.map(({ name, label }) => (
          <th key={name} scope="col" className="num">
            {label}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {days.toReversed().map((day) => (
        <tr key={day.date}>
          <td>{day.date}</td>
          {METRICS.map(({ name, valueOn }) => {
            const value = valueOn(day);
            return (
              <td key={name} className="num">
                {value === null ? '–' : count(value)}
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  </table>
);
