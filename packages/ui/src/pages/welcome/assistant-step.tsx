import { useState } from 'react';
import { ASSISTANTS, type AssistantId } from '../../lib/assistants.ts';
import { AssistantSetup } from '../../parts/assistants/assistant-setup.tsx';
import { Segments } from '../../ui/field.tsx';

/** Shows the command that leads an assistant to all collections. */
export function AssistantChoice() {
  const [assistant, setAssistant] = useState<AssistantId>('claude-code');
  return (
    <div className="tight">
      <Segments
        label="Assistant"
        value={assistant}
        onValue={(value) => setAssistant(value as AssistantId)}
        choices={ASSISTANTS.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <AssistantSetup key={assistant} assistant={assistant} collection={null} />
    </div>
  );
}
