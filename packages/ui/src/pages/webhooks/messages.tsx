import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, listOf, type Schemas } from '../../api/client.ts';
import { messageOf } from '../../api/refusal.ts';
import { messageQuery } from '../../api/webhooks.ts';
import { IN_PLACE } from '../../lib/in-place.ts';
import { deliveriesOf, EVENT_NAMES, type EventType, eventName } from '../../lib/webhooks.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Card, Empty } from '../../ui/page.tsx';
import { Part } from '../../ui/part.tsx';
import { Ago } from '../../ui/time.tsx';
import { AttemptList } from './attempt-list.tsx';

const PART = 50;
const CHOICES: readonly (readonly [string, string])[] = [
  ['', 'All events'],
  ...Object.entries(EVENT_NAMES),
  ['test', 'Test message'],
];

/** Lists all messages, the newest first, also those of which no endpoint wants to know. */
export function Messages() {
  const { event = '' } = useSearch({ from: '/shell/webhooks' });
  const navigate = useNavigate({ from: '/webhooks' });
  const [open, setOpen] = useState<string | null>(null);
  const isKnown = CHOICES.some(([value]) => value === event);
  const types = isKnown && event !== '' ? [event as EventType] : undefined;
  const messages = useInfiniteQuery({
    queryKey: ['webhooks', 'messages', types],
    initialPageParam: 0,
    queryFn: ({ pageParam: skip, signal }) =>
      listOf(
        client.GET('/v1/webhooks/messages', {
          params: { query: { skip, limit: PART, ...(types && { event_types: types }) } },
          signal,
        }),
      ),
    getNextPageParam: (last, pages) => {
      const read = pages.reduce((sum, { items }) => sum + items.length, 0);
      return read < last.total ? read : null;
    },
  });
  const items = messages.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Card
      title="Messages"
      note="30 days"
      actions={
        <select
          className="input pick"
          aria-label="Events to show"
          value={isKnown ? event : ''}
          onChange={({ target }) =>
            void navigate({ search: target.value ? { event: target.value } : {}, ...IN_PLACE })
          }
        >
          {CHOICES.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      }
    >
      {messages.error && (
        <Banner
          tone="bad"
          title="The messages could not be loaded"
          actions={<Button onClick={() => void messages.refetch()}>Try again</Button>}
        >
          {messageOf(messages.error)}
        </Banner>
      )}
      {messages.data && items.length === 0 && (
        <Empty
          action={
            types && (
              <Link to="/webhooks" className="link">
                Show all events
              </Link>
            )
          }
        >
          {types ? 'No such message in the last 30 days.' : 'Nothing has happened yet.'}
        </Empty>
      )}
      <ul className="foldable">
        {items.map((message) => (
          <Row
            key={message.id}
            message={message}
            isOpen={open === message.id}
            onToggle={() => setOpen(open === message.id ? null : message.id)}
          />
        ))}
      </ul>
      {messages.hasNextPage && (
        <p className="pad">
          <Button
            busy={messages.isFetchingNextPage && 'Loading …'}
            onClick={() => void messages.fetchNextPage()}
          >
            Show {PART} more
          </Button>
        </p>
      )}
    </Card>
  );
}

interface RowProps {
  readonly message: Schemas['WebhookMessage'];
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

const Row = ({ message, isOpen, onToggle }: RowProps) => (
  <li>
    <button type="button" className="fold" aria-expanded={isOpen} onClick={onToggle}>
      <span className="grow">{eventName(message.event_type)}</span>
      <span className="muted cut">
        <bdi>{message.channels.join(', ')}</bdi>
      </span>
      <span className="muted">
        <Ago at={message.timestamp} />
      </span>
    </button>
    {isOpen && <Details id={message.id} payload={message.payload} />}
  </li>
);

function Details({ id, payload }: { readonly id: string; readonly payload: object }) {
  const message = useQuery(messageQuery(id));
  return (
    <div className="pad stack folded">
      <Code text={JSON.stringify(payload, null, 2)} label="the message" />
      <Part query={message} what="The attempts" rows={1}>
        {({ delivery_attempts = [] }) =>
          delivery_attempts.length === 0 ? (
            <p className="muted small">No endpoint was told.</p>
          ) : (
            deliveriesOf(delivery_attempts).map((delivery) => {
              const [newest] = delivery.attempts;
              return (
                newest && (
                  <section key={newest.endpoint_id} aria-label={newest.url}>
                    <h3>
                      <Link to="/webhooks/$id" params={{ id: newest.endpoint_id }} className="link">
                        <bdi>{newest.url}</bdi>
                      </Link>
                    </h3>
                    <AttemptList attempts={delivery.attempts} />
                  </section>
                )
              );
            })
          )
        }
      </Part>
    </div>
  );
}
