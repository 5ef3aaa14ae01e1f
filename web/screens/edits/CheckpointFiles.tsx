import { UserRound } from 'lucide-react';
import { folderOf, nameOf } from '../../file-paths.ts';
import { type CheckpointFile, hunkLine, takenFrom } from '../../three-way.ts';

interface Props {
  files: readonly CheckpointFile[];
  chosen: string;
  picked: ReadonlySet<string>;
  onChoose: (path: string) => void;
  onPick: (picked: ReadonlySet<string>) => void;
}

const WORDS = { accepted: '', rejected: 'was rejected', rolled_back: 'rolled back' };

/** The files of a checkpoint and the hunks that were applied to them, to be picked for the way back. */
export function CheckpointFiles({ files, chosen, picked, onChoose, onPick }: Props) {
  const pick = (ids: readonly string[], isOn: boolean): void => {
    const rest = [...picked].filter((id) => !ids.includes(id));
    onPick(new Set(isOn ? [...rest, ...ids] : rest));
  };
  return (
    <nav
      aria-label="Files of this checkpoint"
      className="flex w-80 shrink-0 flex-col gap-1 overflow-y-auto border-r border-line p-2 max-md:max-h-56 max-md:w-full max-md:border-r-0 max-md:border-b"
    >
      {files.map((file) => {
        const able = takenFrom([file]);
        const isAll = able.length > 0 && able.every((id) => picked.has(id));
        return (
          <section key={file.file_path} aria-label={file.file_path}>
            <div
              className={`flex items-center gap-2 rounded-md pl-2 hover:bg-hover ${file.file_path === chosen ? 'bg-chosen' : ''}`}
            >
              <input
                type="checkbox"
                aria-label={`All hunks of ${file.file_path}`}
                className="size-4 shrink-0 accent-accent"
                disabled={able.length === 0}
                checked={isAll}
                onChange={(event) => pick(able, event.target.checked)}
              />
              <button
                type="button"
                aria-current={file.file_path === chosen}
                title={file.file_path}
                onClick={() => onChoose(file.file_path)}
                className="flex min-h-9 min-w-0 flex-1 items-baseline gap-2 rounded-md py-1.5 pr-2 text-left -outline-offset-2"
              >
                <span className="truncate">{nameOf(file.file_path)}</span>
                <span className="truncate text-small text-faint">{folderOf(`/${file.file_path}`).slice(1)}</span>
              </button>
            </div>
            {file.file_path === chosen && (
              <ul aria-label={`Hunks of ${file.file_path}`} className="flex flex-col py-1 pl-6">
                {file.hunks.map(({ hunk_id, origin, status, reverse_patch }) => (
                  <li key={hunk_id}>
                    <label
                      className={`flex min-h-8 items-center gap-2 rounded-md px-2 ${status === 'accepted' ? 'hover:bg-hover' : 'text-faint'}`}
                    >
                      <input
                        type="checkbox"
                        className="size-4 shrink-0 accent-accent"
                        disabled={status !== 'accepted'}
                        checked={picked.has(hunk_id)}
                        onChange={(event) => pick([hunk_id], event.target.checked)}
                      />
                      <span className="min-w-0 flex-1 truncate font-mono text-small">
                        {hunkLine(reverse_patch) || hunk_id}
                      </span>
                      {origin === 'user' && (
                        <UserRound aria-label="by hand" size={12} className="shrink-0 text-faint" />
                      )}
                      {WORDS[status] && <span className="shrink-0 text-small">{WORDS[status]}</span>}
                    </label>
                  </li>
                ))}
              </ul>
            )}
          </section>
        );
      })}
    </nav>
  );
}
