/** `quarry completion` prints a script that lets the shell complete commands and options. */
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

const HELP = `
Examples:
  quarry completion bash > ~/.local/share/bash-completion/completions/quarry
  quarry completion zsh > ~/.zfunc/_quarry
  quarry completion fish > ~/.config/fish/completions/quarry.fish
`;

export function addCompletion(program: Command): void {
  program.commandsGroup('Other:').helpCommand('help [command]', 'say how a command is used');
  tab(program, { completionCommandName: 'completion' });
  program.commands
    .find((one) => one.name() === 'completion')
    ?.description('print a script that lets the shell complete commands and options')
    .addHelpText('after', HELP);
}
