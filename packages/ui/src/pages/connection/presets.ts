export const OWN = 'own';
export const NEVER = 'never';

/** The minutes differ, so that not all connections sync at the same time. */
export const PRESETS = [
  { value: NEVER, label: 'Only when somebody starts it' },
  { value: '*/5 * * * *', label: 'Every 5 minutes' },
  { value: '*/15 * * * *', label: 'Every 15 minutes' },
  { value: '7 * * * *', label: 'Every hour' },
  { value: '23 */6 * * *', label: 'Every 6 hours' },
  { value: '17 3 * * *', label: 'Every day at 03:17 UTC' },
];

/** Only continuous connections, and those that read the machine of Quarry, may sync as often as this. */
export const FREQUENT = ['*/5 * * * *', '*/15 * * * *'];
