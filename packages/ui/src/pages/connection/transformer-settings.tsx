import { type FormEvent, useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { readTexts, settingsOf, textsOfConfig } from '../../lib/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SettingsFields } from '../../ui/settings-fields.tsx';

type Config = Schemas['SourceConnection']['transformers'][number]['config'];

interface TransformerSettingsProps {
  /** It is missing when somebody has deleted it. */
  readonly transformer: Schemas['Transformer'] | undefined;
  readonly config: Config;
  readonly onConfig: (config: Config) => void;
  readonly onClose: () => void;
}

/** The settings of a transformer for one connection. */
export function TransformerSettings({
  transformer,
  config,
  onConfig,
  onClose,
}: TransformerSettingsProps) {
  const settings = settingsOf(transformer?.config_schema ?? { type: 'object' });
  const [typed, setTyped] = useState(() => textsOfConfig(settings, config));
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  function take(event: FormEvent): void {
    event.preventDefault();
    const read = readTexts(settings, typed);
    setFaults(read.faults);
    if (Object.keys(read.faults).length === 0) onConfig({ ...read.config });
  }
  return (
    <Dialog title={transformer?.name ?? 'Settings'} onClose={onClose}>
      <form className="stack" onSubmit={take} noValidate>
        {transformer?.description && (
          <p className="soft small">
            <bdi>{transformer.description}</bdi>
          </p>
        )}
        {settings.length === 0 && <p>It has no settings.</p>}
        <SettingsFields
          settings={settings}
          typed={typed}
          faults={faults}
          onTyped={(next) => {
            setTyped(next);
            setFaults({});
          }}
        />
        <div className="acts">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit">
            Use these settings
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
