import { useState } from 'react';
import { useSubmit } from '../../lib/use-submit.ts';
import { EVENT_GROUPS, EVENT_NAMES, type EventType } from '../../lib/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormFault } from '../../ui/form-fault.tsx';

export interface Endpoint {
  readonly url: string;
  readonly description: string | null;
  readonly event_types: EventType[];
}

interface EndpointFormProps {
  readonly endpoint: Endpoint;
  readonly action: string;
  readonly busy: string;
  /** This title stands above the reason when the service refuses. */
  readonly refused: string;
  readonly onSend: (endpoint: Endpoint) => Promise<void>;
}

/** The fields of an endpoint, for a new one and for one that is changed. */
export function EndpointForm({ endpoint, action, busy, refused, onSend }: EndpointFormProps) {
  const [url, setUrl] = useState(endpoint.url);
  const [description, setDescription] = useState(endpoint.description ?? '');
  const [types, setTypes] = useState<readonly EventType[]>(endpoint.event_types);
  const form = useSubmit(() =>
    onSend({ url: url.trim(), description: description.trim() || null, event_types: [...types] }),
  );
  const fault = form.faultOf('event_types');
  return (
    <form className="pad form" onSubmit={form.submit} noValidate>
      <TextField
        label="URL"
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://hooks.example.com/quarry"
        help="HTTPS at a public address. It answers 2xx within 15 seconds."
        value={url}
        onValue={setUrl}
        fault={form.faultOf('url')}
      />
      <TextField
        label="What it is for"
        isOptional
        value={description}
        onValue={setDescription}
        fault={form.faultOf('description')}
      />
      <fieldset aria-describedby={fault ? 'events-fault' : undefined}>
        <legend className="label">Send a message when</legend>
        <div className="event-groups">
          {EVENT_GROUPS.map((group) => (
            <EventGroup key={group.title} {...group} chosen={types} onChosen={setTypes} />
          ))}
        </div>
        {fault && (
          <p className="fault" id="events-fault">
            {fault}
          </p>
        )}
      </fieldset>
      <FormFault of={form} title={refused} />
      <Button look="primary" type="submit" busy={form.isBusy && busy}>
        {action}
      </Button>
    </form>
  );
}

const EventGroup = ({
  title,
  types,
  chosen,
  onChosen,
}: {
  readonly title: string;
  readonly types: readonly EventType[];
  readonly chosen: readonly EventType[];
  readonly onChosen: (chosen: readonly EventType[]) => void;
}) => (
  <fieldset className="tight">
    <legend className="muted small">{title}</legend>
    {types.map((type) => (
      <label key={type} className="check">
        <input
          type="checkbox"
          checked={chosen.includes(type)}
          onChange={(event) =>
            onChosen(
              event.target.checked ? [...chosen, type] : chosen.filter((one) => one !== type),
            )
          }
        />
        <span>{EVENT_NAMES[type]}</span>
      </label>
    ))}
  </fieldset>
);
