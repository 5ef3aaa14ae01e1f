import { isCancel, text } from '@clack/prompts';
import { hasEnded } from '../domain/run.ts';
import type { Session, SessionMessage } from '../domain/session.ts';
import { type Desk, openDesk } from './desk.ts';
import { EXIT_CODES, follow, type Outcome } from './follow.ts';
import { agentFor, notebookFor } from './run-target.ts';
import { sessionId } from './sessions.ts';
import { harmless, type Style } from './style.ts';
import { Trouble } from './trouble.ts';

export interface ChatOptions {
  agent?: string;
  notebook?: string;
  session?: string;
}

/** What was said last, for who comes back. */
const SHOWN_MESSAGES = 6;

export async function chatCommand(words: string[], options: ChatOptions): Promise<void> {
  const given = words.join(' ').trim();
  const desk = await openDesk();
  const { prompting, print, style } = desk;
  if (given === '' && prompting === null) {
    throw new Trouble('There is nobody to ask what to say.', 'Say it here: longhaul chat "what is in the notebook?"');
  }
  const session = await sessionFor(desk, options);
  for (const said of openingLines(session, style)) print(said);
  let outcome = await catchUp(desk, session);
  for (let next = given; outcome !== 'left'; next = '') {
    const content = next || (await nextMessage(desk));
    if (content === null) break;
    const { run_id } = await desk.client.sessions.message(session.id, content);
    outcome = run_id === null ? 'left' : await followRun(desk, run_id);
  }
  process.exitCode = outcome === null || prompting ? 0 : EXIT_CODES[outcome];
  print(style('dim', `Go on with: longhaul chat --session ${session.id}`));
}

async function sessionFor({ client }: Desk, options: ChatOptions): Promise<Session> {
  if (options.session !== undefined) {
    if (options.agent ?? options.notebook) {
      throw new Trouble('A session keeps its agent and its notebook.', 'Leave out --agent and --notebook.');
    }
    return client.sessions.get(sessionId(options.session));
  }
  const agent = await agentFor(client, options.agent);
  const notebook = await notebookFor(client, agent, options.notebook);
  return client.sessions.create(agent.id, notebook ? { notebook_id: notebook.id } : {});
}

const messageLine = ({ role, content }: SessionMessage, style: Style): string =>
  role === 'user' ? `${style('cyan', '»')} ${harmless(content)}` : harmless(content);

function openingLines(session: Session, style: Style): string[] {
  const title = `${style('bold', harmless(session.agent_name))} ${style('dim', `· ${session.id}`)}`;
  return [title, ...session.messages.slice(-SHOWN_MESSAGES).map((message) => messageLine(message, style))];
}

const followRun = ({ client, style, prompting }: Desk, run: string): Promise<Outcome> =>
  follow({ client, run, json: false, style, prompting });

/** What is under way is shown first: it may be waiting for an answer. */
async function catchUp(desk: Desk, { status, run_id }: Session): Promise<Outcome | null> {
  if (run_id === null || status === 'pending' || hasEnded(status)) return null;
  return followRun(desk, run_id);
}

/** null where there is nothing more to say. */
async function nextMessage({ prompting }: Desk): Promise<string | null> {
  if (prompting === null) return null;
  const said = await text({ message: 'You', placeholder: 'Enter alone, or Ctrl-C, leaves the conversation' });
  return isCancel(said) ? null : (said ?? '').trim() || null;
}
