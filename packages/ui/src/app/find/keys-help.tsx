import { useState } from 'react';
import { areSingleKeysOn, BUTTON_KEYS, PAGE_KEYS, switchSingleKeys } from '../../lib/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** Lists the keys. Those without Ctrl or ⌘ can be switched off, for people whose voice or hand presses keys by chance. */
export function KeysHelp({
  command,
  onClose,
}: {
  readonly command: string;
  readonly onClose: () => void;
}) {
  const [isOn, setOn] = useState(areSingleKeysOn);
  const keys: readonly (readonly [string, string])[] = [
    [`${command} K`, 'Find anything'],
    ['j, k', 'Next and previous row'],
    ['Enter', 'Open the row'],
    ...Object.entries(BUTTON_KEYS),
    ['1 to 9', 'Go to the passage of a citation'],
    ['Esc', 'Close what is on top'],
    ['?', 'This list'],
    ...Object.entries(PAGE_KEYS).map(
      ([key, { label }]) => [`g, then ${key}`, `Go to ${label}`] as const,
    ),
  ];
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            switchSingleKeys(target.checked);
            setOn(target.checked);
          }}
        />
        <span>
          Single keys work
          <br />
          <span className="muted">Without them, {command} K still does.</span>
        </span>
      </label>
      <div className="acts">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
