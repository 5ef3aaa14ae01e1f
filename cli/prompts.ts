import { isCancel, password, select, text } from '@clack/prompts';
import { editable, editText } from './editing.ts';
import { actionTitle, previewLines, type ShownAction } from './pending-view.ts';
import { harmless, type Style } from './style.ts';
import { troubleLines } from './trouble.ts';

export type Decision =
  | { do: 'allow'; arguments?: Record<string, unknown>; for_session?: true }
  /** To be shown with these before anybody allows it. */
  | { do: 'revise'; arguments: Record<string, unknown> }
  | { do: 'deny'; reason: string }
  | { do: 'later' }
  /** Ctrl-C, or the prompt was taken away. */
  | { do: 'stopped' };

export interface Prompting {
  style: Style;
  editor: string;
  print: (line: string) => void;
}

const stopped = { do: 'stopped' } as const;

/** What a person at the terminal says to an action that was shown. */
export async function askDecision(action: ShownAction, around: Prompting, signal?: AbortSignal): Promise<Decision> {
  const until = signal ? { signal } : {};
  const choice = await select({
    ...until,
    message: `Allow ${harmless(actionTitle(action))}?`,
    options: [
      { value: 'allow', label: 'Allow' },
      { value: 'deny', label: 'Deny', hint: 'with a reason the agent is told' },
      { value: 'edit', label: 'Edit', hint: 'and see what it would do then' },
      ...(action.can_allow_for_session
        ? [{ value: 'session', label: 'Allow, and ask no more', hint: 'about this tool, in this conversation' }]
        : []),
      { value: 'show', label: 'Show all of it' },
      { value: 'later', label: 'Later', hint: 'it waits, for days if need be' },
    ],
  });
  if (isCancel(choice)) return stopped;
  switch (choice) {
    case 'allow':
      return { do: 'allow' };
    case 'session':
      return { do: 'allow', for_session: true };
    case 'deny': {
      const reason = await text({ ...until, message: 'Why not?', placeholder: 'Enter alone gives no reason' });
      return isCancel(reason) ? stopped : { do: 'deny', reason: (reason ?? '').trim() };
    }
    case 'edit':
      return (await revision(action, around)) ?? askDecision(action, around, signal);
    case 'show':
      for (const shown of previewLines(action, around.style)) around.print(`  ${shown}`);
      return askDecision(action, around, signal);
    default:
      return { do: 'later' };
  }
}

/** null: back to the first question. */
async function revision(action: ShownAction, { editor, print }: Prompting): Promise<Decision | null> {
  const { name, text: before, read } = editable(action.arguments);
  try {
    const after = await editText(editor, name, before);
    if (after !== before) return { do: 'revise', arguments: read(after) };
    print('Nothing was changed.');
  } catch (error) {
    for (const said of troubleLines(error)) print(said);
  }
  return null;
}

/** null: Ctrl-C, or the prompt was taken away. */
export async function askAnswer(signal?: AbortSignal): Promise<string | null> {
  const answer = await text({
    ...(signal ? { signal } : {}),
    message: 'Your answer',
    placeholder: 'Enter alone lets the agent go on without one',
  });
  return isCancel(answer) ? null : (answer ?? '').trim();
}

/** Not shown while it is typed or pasted. null: Ctrl-C. */
export async function askSecret(message: string): Promise<string | null> {
  const secret = await password({ message });
  return isCancel(secret) ? null : (secret ?? '').trim();
}

/** What Ctrl-C was meant for. A second one means: leave. */
export async function askWhatNow(signal: AbortSignal): Promise<'leave' | 'cancel' | 'stay'> {
  const choice = await select({
    signal,
    message: 'The run does not need this terminal. What now?',
    options: [
      { value: 'leave' as const, label: 'Leave it running' },
      { value: 'cancel' as const, label: 'Cancel the run' },
      { value: 'stay' as const, label: 'Go on watching' },
    ],
  });
  return isCancel(choice) ? 'leave' : choice;
}
