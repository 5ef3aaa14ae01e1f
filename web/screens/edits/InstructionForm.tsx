import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FilePlus, FileText, TextSelect, X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { EditContextRow, EditSession } from '../../../domain/edits/wire.ts';
import type { Notebook } from '../../../domain/workspace.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select, TextArea } from '../../components/Fields.tsx';
import {
  editRowWords,
  fileRow,
  MOST_ROWS,
  type Selection,
  selectionRow,
  withEditRow,
  withoutEditRow,
} from '../../edit-rows.ts';
import { editsApi } from '../../edits-api.ts';
import { nameOf } from '../../file-paths.ts';
import { newKey } from '../../http.ts';
import { useAgents } from '../../queries.ts';

interface Props {
  notebook: Notebook;
  session: EditSession | null;
  isNew: boolean;
  /** One job of a session at a time. */
  isBusy: boolean;
  path: string | null;
  selection: Selection | null;
  onStarted: (sessionId: string) => void;
  onNew: () => void;
}

const BUILT_IN = '';

export function InstructionForm({ notebook, session, isNew, isBusy, path, selection, onStarted, onNew }: Props) {
  const client = useQueryClient();
  const { data: agents = [] } = useAgents();
  const [text, setText] = useState('');
  const [agent, setAgent] = useState(BUILT_IN);
  /** Null as long as nobody touched what is pinned in the session. */
  const [changed, setChanged] = useState<EditContextRow[] | null>(null);
  const rows = changed ?? session?.context_rows ?? [];
  const key = useRef(newKey());
  /** A session that was made for a job which was then refused is used for the next try. */
  const made = useRef<string | null>(null);
  const start = useMutation({
    mutationFn: async (instruction: string) => {
      const body = { notebook_id: notebook.id, ...(agent === BUILT_IN ? {} : { agent_id: agent }) };
      if (isNew) made.current ??= (await editsApi.begin(body)).session_id;
      const session_id = (isNew ? made.current : session?.session_id) ?? '';
      await editsApi.start({ session_id, instruction, context_rows: rows }, key.current);
      return session_id;
    },
    onSuccess: async (id) => {
      key.current = newKey();
      made.current = null;
      setText('');
      setChanged(null);
      await Promise.all([
        client.invalidateQueries({ queryKey: ['edit-sessions'] }),
        client.invalidateQueries({ queryKey: ['edit-session', id] }),
      ]);
      onStarted(id);
    },
  });
  const isReady = !isBusy && (isNew || session !== null);
  const send = (): void => {
    if (isReady && text.trim() !== '' && !start.isPending) start.mutate(text.trim());
  };
  return (
    <form
      className="flex flex-col gap-2 border-t border-line bg-canvas p-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {isNew && (
        <Select label="Who does it" hideLabel value={agent} onChange={(event) => setAgent(event.target.value)}>
          <option value={BUILT_IN}>Editor (built in)</option>
          {agents
            .filter(({ is_active, is_builtin }) => is_active && !is_builtin)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </Select>
      )}
      <Rows rows={rows} onRows={setChanged} path={path} selection={selection} />
      <TextArea
        label="Instruction"
        hideLabel
        placeholder="What should change, anywhere in the notebook?"
        rows={2}
        maxLength={100_000}
        className="max-h-48"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="flex flex-wrap items-center gap-2">
        {isBusy ? (
          <p className="min-w-0 flex-1 text-small text-soft">
            One job at a time.{' '}
            <button type="button" className="rounded text-accent-ink underline" onClick={onNew}>
              Begin another session
            </button>{' '}
            to go on meanwhile.
          </p>
        ) : (
          <p className="min-w-0 flex-1 text-small text-faint">Nothing is written before you review it.</p>
        )}
        <Button type="submit" kind="primary" busy={start.isPending} disabled={!isReady || text.trim() === ''}>
          Propose edits
        </Button>
      </div>
      {start.error && <ErrorNote title="The job was not started" error={start.error} />}
    </form>
  );
}

function Rows({
  rows,
  onRows,
  path,
  selection,
}: {
  rows: readonly EditContextRow[];
  onRows: (rows: EditContextRow[]) => void;
} & Pick<Props, 'path' | 'selection'>) {
  const lines = selection && selectionRow(selection);
  const file = path === null ? null : fileRow(path);
  const isFull = rows.length >= MOST_ROWS;
  const has = (row: EditContextRow): boolean => rows.some((each) => editRowWords(each) === editRowWords(row));
  if (rows.length === 0 && !lines && !file) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {rows.length > 0 && (
        <ul aria-label="Given to the agent" className="contents">
          {rows.map((row) => (
            <li key={editRowWords(row)} className="min-w-0 max-w-full">
              <button
                type="button"
                aria-label={`${editRowWords(row)}: take away`}
                title="Given to the agent with the instruction. Click to take it away."
                onClick={() => onRows(withoutEditRow(rows, row))}
                className="group flex h-7 max-w-full items-center gap-1.5 rounded-md border border-line bg-surface px-2 text-small hover:border-control pointer-coarse:h-9"
              >
                <FileText aria-hidden size={12} className="shrink-0 text-faint" />
                <span className="truncate font-mono">{editRowWords(row)}</span>
                <X aria-hidden size={12} className="shrink-0 text-faint group-hover:text-ink" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {lines && !has(lines) && !isFull && (
        <Add icon={TextSelect} onClick={() => onRows(withEditRow(rows, lines))}>
          Add lines {selection.start_line}–{selection.end_line}
        </Add>
      )}
      {file && !has(file) && !isFull && (
        <Add icon={FilePlus} onClick={() => onRows(withEditRow(rows, file))}>
          Add {nameOf(path ?? '')}
        </Add>
      )}
    </div>
  );
}

function Add({ icon: Icon, onClick, children }: { icon: typeof FileText; onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex h-7 max-w-full items-center gap-1.5 rounded-md border border-dashed border-control/60 px-2 text-small text-soft hover:border-control hover:text-ink pointer-coarse:h-9"
    >
      <Icon aria-hidden size={12} className="shrink-0" />
      <span className="truncate">{children}</span>
    </button>
  );
}
