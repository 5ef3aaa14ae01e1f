import { isAbsolute } from 'node:path';
import { Failure } from '../../domain/failures.ts';
import type { McpTransport } from '../../domain/mcp.ts';
import { type AllowedFolders, allowedFolder } from '../../files/allowed-folder.ts';
import { ownedFolder } from '../../files/owned-folder.ts';
import { removeTree } from '../../files/remove-tree.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { StartedProgram } from '../sandbox/spec.ts';

export type StdioServer = Extract<McpTransport, { kind: 'stdio' }>;

/** How the program of a server is started, so that it can do no more than it was granted. */
export type StartProgram = (server: StdioServer) => Promise<StartedProgram>;

export interface ProgramFolders {
  readable: AllowedFolders;
  writable: AllowedFolders;
}

/**
 * Looked at whenever the program is started: an admin of one workspace names them, who has no say over the rest of the
 * machine, and what a folder is today may be a link to elsewhere tomorrow.
 */
async function demandFolders({ folders }: StdioServer, allowed: ProgramFolders): Promise<void> {
  for (const { path, writable } of folders) {
    const found = await allowedFolder(path, writable ? allowed.writable : allowed.readable);
    if ('real' in found) continue;
    throw new Failure('mcp_unreachable', `Its program may not be given ${path}: ${found.why}.`, { retryable: false });
  }
}

/** In a folder of its own, which is gone with it; beside it, it sees what an admin has named. */
export const confinedPrograms =
  (sandbox: Sandbox, allowed: ProgramFolders): StartProgram =>
  async (server) => {
    await demandFolders(server, allowed);
    const { command, args, env, folders, network } = server;
    const root = await ownedFolder('mcp');
    const paths = (writable: boolean) => folders.filter((each) => each.writable === writable).map(({ path }) => path);
    const leave = () => removeTree(root);
    const starting = sandbox.start({
      argv: [command, ...args],
      root,
      // A program named by its whole path may be read; what lies beside it must be named.
      readable: [...paths(false), ...(isAbsolute(command) ? [command] : [])],
      writable: paths(true),
      env,
      network,
    });
    const started = await starting.catch(async (error: unknown) => {
      await leave();
      throw error;
    });
    void started.gone.finally(leave);
    return started;
  };
