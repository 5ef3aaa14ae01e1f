import { isCancel, password, select, text } from '@clack/prompts';
import { createTwoFilesPatch } from 'diff';
import { editable, editText } from './editing.ts';
import { actionTitle, diffLines, previewLines, type ShownAction } from './pending-view.ts';
import { harmless, type Style } from './style.ts';
import { troubleLines } from './trouble.ts';

export type Decision =
  | { do: 'allow'; arguments?: Record<string, unknown>; for_session?: true }
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
      { value: 'edit', label: 'Edit and allow' },
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
      return (await editedDecision(action, around, signal)) ?? askDecision(action, around, signal);
    case 'show':
      for (const shown of previewLines(action, around.style)) around.print(`  ${shown}`);
      return askDecision(action, around, signal);
    default:
      return { do: 'later' };
  }
}

/** null: back to the first question. */
async function editedDecision(
  action: ShownAction,
  { style, editor, print }: Prompting,
  signal?: AbortSignal,
): Promise<Decision | null> {
  const { name, text: before, read } = editable(action.arguments);
  try {
    const after = await editText(editor, name, before);
    const changed = read(after);
    if (after === before) {
      print('Nothing was changed.');
      return null;
    }
    for (const shown of diffLines(createTwoFilesPatch('as proposed', 'as edited', before, after), style)) {
      print(`  ${shown}`);
    }
    const sure = await select({
      ...(signal ? { signal } : {}),
      message: 'Allow it like this?',
      options: [
        { value: true, label: 'Allow with these changes' },
        { value: false, label: 'Back' },
      ],
    });
    if (isCancel(sure)) return stopped;
    return sure ? { do: 'allow', arguments: changed } : null;
  } catch (error) {
    for (const said of troubleLines(error)) print(said);
    return null;
  }
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
