import { type Config, readConfig } from '../config.ts';
import type { Client } from '../sdk/client.ts';
import { connect } from './connection.ts';
import type { Prompting } from './prompts.ts';
import { type Style, styleFor } from './style.ts';

/** What every command that talks to the server has at hand. */
export interface Desk {
  client: Client;
  style: Style;
  /** null where there is nobody to ask: in scripts, pipes and with --json. */
  prompting: Prompting | null;
  print: (line: string) => void;
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const editorOf = (config: Config): string => config.VISUAL ?? config.EDITOR ?? 'vi';

export async function openDesk({ json = false } = {}): Promise<Desk> {
  const config = readConfig();
  const client = await connect(config);
  const style = styleFor(process.stdout);
  const asks = process.stdin.isTTY === true && process.stdout.isTTY === true && !json;
  return { client, style, print, prompting: asks ? { style, print, editor: editorOf(config) } : null };
}
