import { type Command, Option } from 'commander';
import { later } from './later.ts';

const HELP = `
An MCP server brings tools and resources. Agents use those named in their mcp_servers: a server,
or server/tool for one of its tools. Programs run confined: what they may read or write beside
the system's own files is named with --read and --write, and the network only with --network.

Examples:
  longhaul mcp add tickets --url https://mcp.example.org/mcp
  longhaul mcp add files --write /srv/letters -- mcp-server-filesystem /srv/letters
  pass show tickets | longhaul mcp secret tickets header_authorization
  longhaul mcp tools tickets
`;

const several = (value: string, before: string[]): string[] => [...before, value];

/** `longhaul mcp …` */
export function addMcpCommands(program: Command): void {
  const mcp = program
    .command('mcp')
    .description('MCP servers, which bring tools: list, add, look at, remove')
    .addHelpText('after', HELP);
  mcp
    .command('list', { isDefault: true })
    .description('list the servers and what was found there')
    .addOption(new Option('--json', 'print every server as a JSON object on a line of its own'))
    .action(later(async () => (await import('./mcp.ts')).mcpListCommand));
  mcp
    .command('add')
    .description('register a server by its address, or by the command that starts it (behind --)')
    .argument('<name>', 'what it is called')
    .argument('[command...]', 'program and arguments, behind --')
    .option('-u, --url <address>', 'address of a server that is reached over HTTP')
    .option('--private', 'the address may lie in a private network')
    .option('--read <folder>', 'folder the program may read', several, [])
    .option('--write <folder>', 'folder the program may also write', several, [])
    .option('--network', 'the program may use the network')
    .option('-w, --workspace <name>', 'workspace it goes to, by name or id (the first one you administer)')
    .action(later(async () => (await import('./mcp.ts')).mcpAddCommand));
  mcp
    .command('tools')
    .description('list the tools of a server')
    .argument('<server>', 'its id or name')
    .action(later(async () => (await import('./mcp.ts')).mcpToolsCommand));
  mcp
    .command('refresh')
    .description('look again at what a server can do')
    .argument('<server>', 'its id or name')
    .action(later(async () => (await import('./mcp.ts')).mcpRefreshCommand));
  mcp
    .command('secret')
    .description('set a secret header (header_<name>) or variable (env_<name>) of a server')
    .argument('<server>', 'its id or name')
    .argument('<key>', 'what it is called')
    .action(later(async () => (await import('./mcp.ts')).mcpSecretCommand));
  mcp
    .command('rm')
    .description('remove a server that no active agent uses')
    .argument('<server>', 'its id or name')
    .action(later(async () => (await import('./mcp.ts')).mcpRemoveCommand));
}
