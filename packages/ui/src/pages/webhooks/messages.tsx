import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { client, listOf, type Schemas } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { messageQuery } from '../../api/webhooks.ts';
import { IN_PLACE } from '../../lib/in-place.ts';
import { deliveriesOf, EVENT_NAMES, type EventType, eventName } from '../../lib/webhooks.ts';
import { Code } from '../../ui/code.tsx';
import { EmptyList } from '../../ui/empty-list.tsx';
import { Card } from '../../ui/page.tsx';
import { MoreButton, Paged } from '../../ui/paged.tsx';
import { Part } from '../../ui/part.tsx';
import { Ago } from '../../ui/time.tsx';
import { AttemptList } from './attempt-list.tsx';

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
  const messages = usePages(['webhooks', 'messages', types], (query, signal) =>
    listOf(
      client.GET('/v1/webhooks/messages', {
        params: { query: { ...query, ...(types && { event_types: types }) } },
        signal,
      }),
    ),
  );
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
      <Paged
        pages={messages}
        what="The messages"
        empty={
          <EmptyList
            isFiltered={types !== undefined}
            filtered="No such message in the last 30 days."
            nothing="Nothing has happened yet."
            all={{ label: 'Show all events', to: '/webhooks' }}
          />
        }
      >
        {() => (
          <>
            <ul className="foldable">
              {messages.items.map((message) => (
                <Row
                  key={message.id}
                  message={message}
                  isOpen={open === message.id}
                  onToggle={() => setOpen(open === message.id ? null : message.id)}
                />
              ))}
            </ul>
            <MoreButton pages={messages} />
          </>
        )}
      </Paged>
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
