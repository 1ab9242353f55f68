/** Lists which clients are installed on this machine, and which of them are set up. */
import { existsSync } from 'node:fs';
import { type AssistantClient, CLIENTS, type ClientMachine } from './clients.ts';
import { readConfigFile } from './config-file.ts';
import { entryIn } from './edit.ts';

export function overview(name: string, machine: ClientMachine): string {
  const installed = CLIENTS.filter((client) => existsSync(client.installedPath(machine)));
  const lines = CLIENTS.map(
    (client) =>
      `${client.id.padEnd(12)} ${installed.includes(client) ? state(client) : `no ${client.title} found`}`,
  );
  const advice =
    installed.length > 0
      ? `set up what was found: quarry mcp install ${installed.map(({ id }) => id).join(' ')}`
      : 'no client was found; to set one up anyway: quarry mcp install <client>';
  return `${lines.join('\n')}\n\n${advice}\n`;

  function state(client: AssistantClient): string {
    const path = client.file(machine);
    try {
      const isSetUp = entryIn(client, readConfigFile(path)?.text ?? '', name) !== undefined;
      return `${client.title}, ${isSetUp ? 'set up' : 'not set up'}: ${path}`;
    } catch (error) {
      return `${client.title}, which cannot be set up: ${(error as Error).message}`;
    }
  }
}
