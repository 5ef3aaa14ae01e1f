import { type Command, Option } from 'commander';

const HELP = `
With it on, agents on git notebooks open pull requests for what they have pushed. For admins.
The token is asked for on a terminal and read from the standard input in a script.

Examples:
  longhaul integrations github
  longhaul integrations github --on
  pass show github | longhaul integrations github --on
  longhaul integrations github --on --api-url https://git.example.org/api/v3
  longhaul integrations github --off
  longhaul integrations github --remove
`;

/** `longhaul integrations github` */
export function addGithubCommand(program: Command): void {
  const integrations =
    program.commands.find((command) => command.name() === 'integrations') ??
    program.command('integrations').description('other systems that agents reach');
  integrations
    .command('github')
    .description('whether agents may open pull requests: show, turn on or off')
    .option('--on', 'turn it on; asks for the token')
    .option('--off', 'turn it off; the token is kept')
    .option('--remove', 'turn it off and remove the token')
    .option('--api-url <url>', 'address of the API of a GitHub server of your own')
    .option('-w, --workspace <name>', 'workspace, by name or id (the first one you may write in)')
    .addOption(new Option('--json', 'print one JSON object'))
    .addHelpText('after', HELP)
    // Those above it take --json, too, and would keep it for themselves.
    .action(async (_options, at: Command) =>
      (await import('./github-integration.ts')).githubCommand(at.optsWithGlobals()),
    );
}
