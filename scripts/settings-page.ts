/**
 * `npm run settings-page` writes docs/settings.md from the schema of the settings, so the page and the code cannot differ.
 */
import { writeFileSync } from 'node:fs';
import { answerHelp } from './help.ts';
import { SETTINGS_PAGE, settingsPage } from './settings-text.ts';

answerHelp(import.meta.filename);
writeFileSync(SETTINGS_PAGE, settingsPage());
